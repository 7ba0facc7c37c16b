"""Named lists of metrics, a module for each name. Importing this package registers all of them in `base.PRESETS`."""

from conceptloom.metrics.presets import commongen, comve, korean_commongen, sound, story_cloze

__all__ = ["commongen", "comve", "korean_commongen", "sound", "story_cloze"]
