# SPDX-License-Identifier: BSD-2-Clause
# run.sh SCRIPT [ARGUMENTS]: runs a comparison. EXACTNCC_PEERS_PYTHON names a Python (for example of a
# virtual environment) with numpy, opencv-python-headless and scikit-image. If the Python lacks a
# module that the script needs, the test is skipped.
python=${EXACTNCC_PEERS_PYTHON:-python3}
case /$1 in
*/real_masked.py) needs='sys' ;;
*/real_maps.py | */agree_numpy.py) needs='numpy' ;;
*) needs='numpy, cv2, skimage' ;;
esac
"$python" -c "import $needs" 2>/dev/null || { echo "$python lacks one of $needs: skipped"; exit 77; }
PYTHONDONTWRITEBYTECODE=1
export PYTHONDONTWRITEBYTECODE
exec "$python" "$@"
