"""Models from local folders: the device they run on, how they are loaded, and what identifies them.

The one place that imports torch and transformers, and only when a model is loaded.
"""

from conceptloom.models.device import DEFAULT_DEVICE, check_device
from conceptloom.models.loading import LoadedModel, load_model
from conceptloom.models.signature import file_sha256, model_signature

__all__ = ["DEFAULT_DEVICE", "LoadedModel", "check_device", "file_sha256", "load_model", "model_signature"]
