"""A real Caddy with one of our files, on the loopback interface, with a certificate of its own authority."""

import asyncio
import contextlib
import json
import os
import ssl
from collections.abc import AsyncIterator
from pathlib import Path

DEPLOY = Path(__file__).parents[2] / "deploy"
MISSING = "there is no caddy here: install it (Debian has it) to run this test"


async def _config(file: str, port: int, folder: Path, environment: dict[str, str]) -> Path:
    adapt = await asyncio.create_subprocess_exec(
        "caddy",
        "adapt",
        "--adapter",
        "caddyfile",
        "--config",
        str(DEPLOY / file),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env={**os.environ, "DICE_DOMAIN": f"https://localhost:{port}", **environment},
    )
    text, _ = await adapt.communicate()
    config = json.loads(text)
    (site,) = config["apps"]["http"]["servers"].values()
    site["listen"] = [f"127.0.0.1:{port}"]
    site["automatic_https"] = {"disable_redirects": True}
    config["apps"]["pki"] = {"certificate_authorities": {"local": {"install_trust": False}}}
    config["apps"].setdefault("tls", {}).setdefault("automation", {})["policies"] = [
        {"issuers": [{"module": "internal"}]}
    ]
    config["admin"] = {"disabled": True}
    config["storage"] = {"module": "file_system", "root": str(folder)}
    path = folder / "caddy.json"
    path.write_text(json.dumps(config))
    return path


async def _shows_it(port: int) -> None:
    """Until it shows the certificate: it answers with an alert before it has read the file that it wrote."""
    look = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    look.check_hostname, look.verify_mode = False, ssl.CERT_NONE
    while True:
        with contextlib.suppress(OSError):
            _, writer = await asyncio.open_connection("localhost", port, ssl=look)
            writer.close()
            return


@contextlib.asynccontextmanager
async def caddy(file: str, port: int, folder: Path, **environment: str) -> AsyncIterator[Path]:
    """Running, with its certificate made. Gives the certificate of its authority."""
    config = await _config(file, port, folder, environment)
    process = await asyncio.create_subprocess_exec(
        "caddy",
        "run",
        "--config",
        str(config),
        stderr=asyncio.subprocess.PIPE,
        env={**os.environ, "HOME": str(folder)},
    )
    reading: asyncio.Future[bytes] | None = None
    try:
        assert process.stderr
        async with asyncio.timeout(30):
            while b"serving initial configuration" not in await process.stderr.readline():
                pass
            while not (folder / "certificates").exists() or not any((folder / "certificates").rglob("*.crt")):
                await process.stderr.readline()  # it tells when the certificate is there
            reading = asyncio.ensure_future(process.stderr.read())
            await _shows_it(port)
        yield folder / "pki" / "authorities" / "local" / "root.crt"
    finally:
        process.terminate()
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(process.wait(), 10)
        if reading:
            await reading
