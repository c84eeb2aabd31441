import os
import tempfile

from hypothesis import HealthCheck, settings

os.environ["DICEGAMES_INTERFACES"] = "127.0.0.1"  # whatever is tried here is announced and looked for on the loopback
os.environ["XDG_STATE_HOME"] = os.environ["XDG_DATA_HOME"] = tempfile.mkdtemp(prefix="dicegames-tests-")
os.environ["DICEGAMES_ADMIN"] = ""  # many servers run at once

settings.register_profile("short", deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("long", deadline=None, max_examples=3000, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("short")
