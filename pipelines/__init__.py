"""Recipes: a typed configuration and the stages made of transforms."""

from conceptloom.registry import Registry
from pipelines import commongen, korean_commongen
from pipelines.recipe import Recipe

RECIPES: Registry[Recipe] = Registry("recipe")
RECIPES.add(korean_commongen.RECIPE.name, korean_commongen.RECIPE)
RECIPES.add(commongen.RECIPE.name, commongen.RECIPE)

__all__ = ["RECIPES", "Recipe"]
