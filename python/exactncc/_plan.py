# SPDX-License-Identifier: BSD-2-Clause
"""Plans: one problem, bound to an engine, a kernel and a workspace, for many images."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from . import _arrays, _core, _device
from ._calls import INF, Progress
from ._context import Context
from ._matches import Matches, matches_of
from ._operands import image_view, templates_of
from ._rules import peaks, rule
from ._template import Template


class Plan:
    """Matching of one template size in images of one size, prepared once.

    A plan chooses its kernel and allocates its workspace when it is made, so that its calls need
    not. Calls of one plan wait for each other; different plans run at once.

    Parameters
    ----------
    image : array_like
        An image like those that the plan will be used with. Its pixels are not read, but for a
        type that has to be converted.
    template : array_like or Template
        What is searched for.
    method, mode, border, flat, min_valid
        As for `correlate`.
    mask : array_like of bool or uint8, optional
        Given if the images will have masks.
    no_data : float, optional
        Pixels with this value do not count, in all images.
    channel_axis, kernel, context
        As for `correlate`.
    images : int
        How many images `find_images` will be given at a time. On a GPU the plan has room to search
        so many of them in one launch as pay and fit.

    Raises
    ------
    TypeError, ValueError, UnsupportedError
        As for `correlate`.

    Examples
    --------
    >>> frames = np.random.default_rng(1).integers(0, 256, (3, 60, 80), dtype=np.uint8)
    >>> plan = exactncc.Plan(frames[0], frames[0, 20:30, 40:52])
    >>> [len(plan.find(frame, min_score=0.9)) for frame in frames]
    [1, 0, 0]
    """

    __slots__ = (
        "__weakref__", "_channel_axis", "_context", "_core", "_no_data", "_on_device", "_rule", "_shape", "_template"
    )  # fmt: skip

    def __init__(
        self,
        image: Any,
        template: Any,
        *,
        method: str = "ccoeff_normed",
        mode: str = "valid",
        border: str = "clamp",
        flat: str = "zero",
        min_valid: float = 0.5,
        mask: Any = None,
        no_data: float | None = None,
        channel_axis: int | None = None,
        kernel: str | None = None,
        context: Context | None = None,
        images: int = 1,
    ) -> None:
        self._rule = rule(method, mode, border, flat, min_valid)
        self._context, (self._template,) = templates_of([template], no_data, channel_axis, context, image)
        self._channel_axis, self._no_data = channel_axis, no_data
        view = image_view(image, self._template, mask, no_data, channel_axis)
        self._on_device = view.on_device
        templ = self._template._core
        self._shape = _core.measure(self._rule, view, templ)
        self._core = _core.match_plan(self._context._core, view, templ, self._rule, kernel, view.on_device, images)

    def _operands(self, image: Any, template: Template | None, mask: Any) -> tuple[_core.Image, Template]:
        if template is None:
            template = self._template
        elif not isinstance(template, Template):
            raise TypeError("another template of a plan must be a Template, made with the context of the plan")
        return image_view(image, template, mask, self._no_data, self._channel_axis), template

    def correlate(
        self,
        image: Any,
        template: Template | None = None,
        *,
        mask: Any = None,
        out: Any = None,
        progress: Progress | None = None,
    ) -> Any:
        """Compute the score of every window. As the function `correlate`.

        Parameters
        ----------
        image : array_like
            Of the size that the plan was made for.
        template : Template, optional
            Another template of the plan's size, type and context.
        mask, out, progress
            As for the function `correlate`.

        Returns
        -------
        ndarray of float32
            The scores. With an array on a GPU the call returns without waiting.

        Raises
        ------
        ArgumentError
            A size or type differs from that of the plan.
        """
        view, other = self._operands(image, template, mask)
        if view.on_device:
            return _device.plan_correlate(self._core, view, True, other._core, self._shape, out, progress)

        def fill(target: _core.Map) -> None:
            self._core.correlate(view, other._core, target, 0, progress)

        return _arrays.filled(out, self._shape, image, fill)

    def find(
        self,
        image: Any,
        template: Template | None = None,
        *,
        top: int | None = 10,
        min_score: float = 0.0,
        max_score: float = INF,
        min_distance: int | None = None,
        mask: Any = None,
        progress: Progress | None = None,
    ) -> Matches:
        """Find the best matches. As the function `find`.

        Parameters
        ----------
        image : array_like
            Of the size that the plan was made for.
        template : Template, optional
            Another template of the plan's size, type and context.
        top, min_score, max_score, min_distance
            As for the function `find`.
        mask, progress
            As for the function `correlate`.

        Returns
        -------
        Matches
            Best first.

        Raises
        ------
        ArgumentError
            A size or type differs from that of the plan.
        """
        view, other = self._operands(image, template, mask)
        which = peaks(top, min_score, max_score, min_distance)
        return matches_of(self._core.find(view, other._core, which, _device.stream_of(view), progress))

    def find_images(
        self,
        images: Iterable[Any],
        template: Template | None = None,
        *,
        top: int | None = 10,
        min_score: float = 0.0,
        max_score: float = INF,
        min_distance: int | None = None,
        progress: Progress | None = None,
    ) -> list[Matches]:
        """Find the best matches in each of many images. As `find` for one image after the other.

        On a CPU each image is searched by one thread. On a GPU several are searched in one launch,
        if the plan was made with `images`; fastest is one array of all of them, of shape
        (N, H, W). With `top` None there is room for a match at every position of every image.

        Parameters
        ----------
        images : iterable of array_like
            Of the size that the plan was made for, without masks of their own: a list, or an array
            with one more axis in front.
        template : Template, optional
            Another template of the plan's size, type and context.
        top, min_score, max_score, min_distance
            As for the function `find`.
        progress
            As for the function `correlate`.

        Returns
        -------
        list of Matches
            For each image its matches, best first.

        Raises
        ------
        ArgumentError
            A size or type differs from that of the plan. The text has the number of the image.

        Examples
        --------
        >>> frames = np.random.default_rng(1).integers(0, 256, (3, 60, 80), dtype=np.uint8)
        >>> plan = exactncc.Plan(frames[0], frames[0, 20:30, 40:52], images=len(frames))
        >>> [len(matches) for matches in plan.find_images(frames, min_score=0.9)]
        [1, 0, 0]
        """
        other = self._template if template is None else template
        views = [self._operands(image, template, None)[0] for image in images]
        which = peaks(top, min_score, max_score, min_distance)
        stream = _device.stream_of(views[0]) if views else 0
        return [matches_of(one) for one in self._core.find_images(views, other._core, which, stream, progress)]

    @property
    def template(self) -> Template:
        """The template that the plan was made with."""
        return self._template

    @property
    def shape(self) -> tuple[int, int]:
        """The shape of the maps."""
        return self._shape

    @property
    def info(self) -> dict[str, Any]:
        """What a program can ask: engine, kernel, capturable, bands, workspace_bytes, estimate_ms,
        devices, images."""
        return self._core.describe()

    def explain(self) -> str:
        """Describe the plan in a few lines of text: its kernel, and why it was chosen."""
        return self._core.explain()

    def __repr__(self) -> str:
        info = self.info
        return f"Plan({self._template!r}, map={self._shape}, engine={info['engine']!r}, kernel={info['kernel']!r})"
