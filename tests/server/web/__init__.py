"""Tests of what is answered over HTTP."""
