# run.sh SCRIPT [ARGUMENTS]: a comparison, where Python has what it needs. EXACTNCC_PEERS_PYTHON names a Python with numpy, opencv-python-headless
# and scikit-image (a virtual environment's); without one that has them the test is skipped.
python=${EXACTNCC_PEERS_PYTHON:-python3}
case /$1 in
*/real_masked.py) needs='sys' ;;
*/real_maps.py | */agree_numpy.py) needs='numpy' ;;
*) needs='numpy, cv2, skimage' ;;
esac
"$python" -c "import $needs" 2>/dev/null || { echo "$python has not all of $needs: skipped"; exit 77; }
PYTHONDONTWRITEBYTECODE=1
export PYTHONDONTWRITEBYTECODE
exec "$python" "$@"
