# SPDX-License-Identifier: BSD-2-Clause
from collections.abc import Callable, Sequence
from typing import Any

def version() -> str: ...
def forked() -> None: ...
def devices() -> list[dict[str, Any]]: ...
def kernels() -> list[dict[str, Any]]: ...

class Context:
    def __init__(
        self,
        device: int,
        cuda_index: int,
        threads: int,
        device_memory: int,
        cuda_list: Sequence[int],
        every: bool,
        strict: bool,
    ) -> None: ...
    def cancel(self) -> None: ...
    @property
    def ours(self) -> bool: ...
    @property
    def progress(self) -> float: ...
    @property
    def warning(self) -> str: ...

class Image:
    def __init__(self) -> None: ...
    def set(self, array: Any, mask: Any | None, no_data: float | None) -> bool: ...
    def set_device(
        self,
        data: int,
        pixel: int,
        shape: tuple[int, int, int],
        pitch: int,
        mask: int,
        mask_pitch: int,
        no_data: float | None,
        owner: object,
    ) -> None: ...
    @property
    def shape(self) -> tuple[int, int, int]: ...
    @property
    def pixel(self) -> int: ...
    @property
    def data(self) -> int: ...
    @property
    def pitch(self) -> int: ...
    @property
    def masked(self) -> bool: ...
    @property
    def owner(self) -> object: ...
    @property
    def on_device(self) -> bool: ...

class Tensor:
    def __init__(self, capsule: object) -> None: ...
    @property
    def address(self) -> int: ...
    @property
    def strides(self) -> tuple[int, ...]: ...

class Map:
    def __init__(self) -> None: ...
    def set(self, array: Any) -> bool: ...
    def set_device(self, data: int, width: int, height: int, pitch: int, owner: object) -> None: ...

class Rule:
    def __init__(self, method: str, mode: str, border: str, flat: str, min_valid: float) -> None: ...
    @property
    def is_distance(self) -> bool: ...

class Peaks:
    def __init__(
        self, top: int | None, min_score: float, max_score: float, min_distance: int | None
    ) -> None: ...

class Suppress:
    def __init__(self, overlap: bool, limit: float, top: int | None) -> None: ...

class Poses:
    def __init__(
        self,
        search: int,
        disc: bool,
        any_polarity: bool,
        refine: bool,
        min_score: float,
        overlap: float,
        top: int | None,
        min_valid: float,
    ) -> None: ...

class Template:
    def __init__(self, context: Context, pixels: Image) -> None: ...
    @property
    def shape(self) -> tuple[int, int, int]: ...
    @property
    def pixel(self) -> int: ...
    @property
    def masked(self) -> bool: ...

class Filter:
    def __init__(
        self, context: Context, coefficients: Any, correlate: bool, anchor: tuple[int, int] | None
    ) -> None: ...
    @property
    def shape(self) -> tuple[int, int]: ...

class Plan:
    def correlate(
        self, image: Image, template: Template, map: Map, stream: int, progress: Callable[[float], object] | None
    ) -> None: ...
    def find(
        self, image: Image, template: Template, peaks: Peaks, stream: int, progress: Callable[[float], object] | None
    ) -> bytearray: ...
    def find_images(
        self,
        images: Sequence[Image],
        template: Template,
        peaks: Peaks,
        stream: int,
        progress: Callable[[float], object] | None,
    ) -> list[bytearray]: ...
    def convolve(
        self, image: Image, filter: Filter, map: Map, stream: int, progress: Callable[[float], object] | None
    ) -> None: ...
    def describe(self) -> dict[str, Any]: ...
    def explain(self) -> str: ...

class Batch:
    def __init__(
        self,
        context: Context,
        image: Image,
        templates: Sequence[Template],
        rule: Rule,
        peaks: Peaks,
        suppress: Suppress | None,
        kernel: str | None,
    ) -> None: ...
    def find(self, image: Image, stream: int, progress: Callable[[float], object] | None) -> bytearray: ...

def measure(rule: Rule, image: Image, template: Template) -> tuple[int, int]: ...
def correlate(
    context: Context,
    image: Image,
    template: Template,
    rule: Rule,
    kernel: str | None,
    map: Map,
    progress: Callable[[float], object] | None,
) -> None: ...
def find(
    context: Context,
    image: Image,
    template: Template,
    rule: Rule,
    peaks: Peaks,
    kernel: str | None,
    progress: Callable[[float], object] | None,
) -> bytearray: ...
def find_batch(
    context: Context,
    image: Image,
    templates: Sequence[Template],
    rule: Rule,
    peaks: Peaks,
    suppress: Suppress | None,
    kernel: str | None,
    progress: Callable[[float], object] | None,
) -> bytearray: ...
def find_poses(
    context: Context,
    image: Image,
    templates: Sequence[Template],
    poses: Poses,
    angles: tuple[float, float, float | None],
    scales: tuple[float, float, float | None],
    kernel: str | None,
    progress: Callable[[float], object] | None,
) -> bytearray: ...
def refine(
    context: Context,
    image: Image,
    template: Template,
    rule: Rule,
    candidates: Any,
    stream: int,
    progress: Callable[[float], object] | None,
) -> bytearray: ...

class TrackRule:
    def __init__(
        self,
        method: str,
        chip_width: int,
        chip_height: int,
        search_x: int,
        search_y: int,
        fit: int,
        oversample: int,
        back: bool,
        min_valid: float,
    ) -> None: ...
    def check(self, limit: float, replace: bool) -> None: ...
    def deform(self, times: int, step_x: int, step_y: int) -> None: ...
    def coarse(
        self, chip_width: int, chip_height: int, search_x: int, search_y: int, step_x: int, step_y: int
    ) -> None: ...

def track(
    context: Context,
    image1: Image,
    image2: Image,
    rule: TrackRule,
    points: Any,
    kernel: str | None,
    progress: Callable[[float], object] | None,
) -> bytearray: ...
def suppress(rule: Rule, candidates: Any, suppress: Suppress) -> int: ...
def convolve(
    context: Context,
    image: Image,
    filter: Filter,
    zero_border: bool,
    kernel: str | None,
    map: Map,
    progress: Callable[[float], object] | None,
) -> None: ...
def match_plan(
    context: Context,
    image: Image,
    template: Template,
    rule: Rule,
    kernel: str | None,
    map_on_device: bool,
    images: int,
) -> Plan: ...
def convolve_plan(
    context: Context, image: Image, filter: Filter, zero_border: bool, kernel: str | None, map_on_device: bool
) -> Plan: ...
