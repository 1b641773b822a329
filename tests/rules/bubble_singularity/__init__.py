"""Bubble Singularity, rule by rule."""
