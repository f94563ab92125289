"""People's tokens and the keys that sign them, for daemons with `auth.mode` tokens; standard library
only."""

import base64
import contextlib
import functools
import hashlib
import json
import pathlib
import random
import tempfile
import time

ISSUER = "https://login.example"
AUDIENCE = "moyeo"
ALL = "read report command"
# What a signature by RS256 says of its hash (RFC 8017, section 9.2).
SHA256 = bytes.fromhex("3031300d060960864801650304020105000420")


def text(data):
    """RFC 4648, section 5, without padding."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def _packed(value):
    return text(json.dumps(value, separators=(",", ":")).encode())


def _is_prime(number, rng):
    if any(number % small == 0 for small in (3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37)):
        return False
    odd, twos = number - 1, 0
    while odd % 2 == 0:
        odd, twos = odd // 2, twos + 1
    for _ in range(8):
        power = pow(rng.randrange(2, number - 1), odd, number)
        if power in (1, number - 1):
            continue
        for _ in range(twos - 1):
            power = power * power % number
            if power == number - 1:
                break
        else:
            return False
    return True


def _prime(rng, bits=1024):
    while True:
        # The two highest bits, so that a product of two has all of its own.
        number = rng.getrandbits(bits) | 3 << bits - 2 | 1
        if number % 65537 != 1 and _is_prime(number, rng):
            return number


@functools.cache
class Signer:
    """An RSA key of a test: the same one in every run for the same id."""

    def __init__(self, key_id):
        rng = random.Random(f"a signer named {key_id}")
        p, q = _prime(rng), _prime(rng)
        self.key_id = key_id
        self.modulus = p * q
        self._private = pow(65537, -1, (p - 1) * (q - 1))

    @property
    def key(self):
        """The public half as a JSON Web Key."""
        return {"kty": "RSA", "use": "sig", "alg": "RS256", "kid": self.key_id, "e": "AQAB",
                "n": text(self.modulus.to_bytes(256, "big"))}

    def token(self, subject, scope=ALL, tenant=None, seconds=600, **claims):
        now = int(time.time())
        said = {"iss": ISSUER, "aud": AUDIENCE, "sub": subject, "scope": scope, "iat": now,
                "exp": now + seconds, **({"tenant": tenant} if tenant else {}), **claims}
        signed = _packed({"alg": "RS256", "typ": "JWT", "kid": self.key_id}) + "." + _packed(
            {name: value for name, value in said.items() if value is not None})
        hashed = SHA256 + hashlib.sha256(signed.encode()).digest()
        padded = b"\0\1" + b"\xff" * (253 - len(hashed)) + b"\0" + hashed
        signature = pow(int.from_bytes(padded, "big"), self._private, self.modulus)
        return signed + "." + text(signature.to_bytes(256, "big"))


def key_set(*signers):
    return json.dumps({"keys": [signer.key for signer in signers]})


@contextlib.contextmanager
def key_file(*signers):
    """The path of a file with the keys of who signs tokens."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "jwks.json"
        path.write_text(key_set(*signers))
        yield path


def settings(source):
    """Environment of a daemon that takes tokens whose keys stand at `source`, a path or a URL."""
    return {"MOYEO_AUTH_MODE": "tokens", "MOYEO_AUTH_JWKS": str(source),
            "MOYEO_AUTH_ISSUER": ISSUER, "MOYEO_AUTH_AUDIENCE": AUDIENCE}


def bearer(token):
    return {"Authorization": f"Bearer {token}"}
