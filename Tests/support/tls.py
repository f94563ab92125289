"""The certificates of Tests/support/certificates, for daemons and their clients."""

import pathlib
import shutil
import ssl

CERTIFICATES = pathlib.Path(__file__).resolve().parent / "certificates"


def path(name):
    return str(CERTIFICATES / f"{name}.pem")


def read(name):
    return (CERTIFICATES / f"{name}.pem").read_bytes()


def settings(mutual=False, certificate=None, key=None):
    """Environment of a daemon with TLS."""
    out = {"MOYEO_TLS_CERTIFICATE": certificate or path("server"),
           "MOYEO_TLS_KEY": key or path("server.key")}
    if mutual:
        out["MOYEO_TLS_CLIENT_AUTHORITY"] = path("authority")
    return out


def client(name=None, authority="authority"):
    """What a client trusts, and who it is."""
    context = ssl.create_default_context(cafile=path(authority))
    if name:
        context.load_cert_chain(path(name), path(f"{name}.key"))
    return context


def put(folder, certificate, key=None):
    """Lays a certificate and a key into a folder as a renewal does; answers their paths."""
    out = []
    for source, target in ((certificate, "certificate.pem"), (f"{key or certificate}.key", "key.pem")):
        new = pathlib.Path(folder) / (target + ".new")
        shutil.copyfile(path(source), new)
        out.append(str(new.rename(pathlib.Path(folder) / target)))
    return out
