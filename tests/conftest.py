import os

from hypothesis import HealthCheck, settings

os.environ["DICEGAMES_INTERFACES"] = "127.0.0.1"  # whatever is tried here is announced and looked for on the loopback
os.environ["DICEGAMES_ADMIN"] = ""  # many servers run at once

settings.register_profile("short", deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("long", deadline=None, max_examples=3000, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("short")
