package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"time"
)

const (
	issuer     = "https://login.example"
	audience   = "moyeo"
	keyID      = "app"
	privateKey = "private.der"
	publicKeys = "jwks.json"
)

// What signs the tokens of people: ES256 (RFC 7518, section 3.4).
type signer struct{ key *ecdsa.PrivateKey }

func encoded(data []byte) string { return base64.RawURLEncoding.EncodeToString(data) }

// A new key: its private half for readSigner, its public half as a JSON Web Key Set for the daemon.
func writeKeys(folder string) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	check(err)
	der, err := x509.MarshalECPrivateKey(key)
	check(err)
	check(os.WriteFile(filepath.Join(folder, privateKey), der, 0o600))
	coordinate := func(value interface{ FillBytes([]byte) []byte }) string {
		return encoded(value.FillBytes(make([]byte, 32)))
	}
	set, err := json.Marshal(map[string]any{"keys": []any{map[string]string{
		"kty": "EC", "crv": "P-256", "alg": "ES256", "use": "sig", "kid": keyID,
		"x": coordinate(key.X), "y": coordinate(key.Y)}}})
	check(err)
	check(os.WriteFile(filepath.Join(folder, publicKeys), set, 0o600))
}

func readSigner(folder string) signer {
	der, err := os.ReadFile(filepath.Join(folder, privateKey))
	check(err)
	key, err := x509.ParseECPrivateKey(der)
	check(err)
	return signer{key}
}

// A person's token, for an hour.
func (s signer) token(subject string) string {
	header, err := json.Marshal(map[string]string{"alg": "ES256", "typ": "JWT", "kid": keyID})
	check(err)
	now := time.Now().Unix()
	claims, err := json.Marshal(map[string]any{
		"iss": issuer, "aud": audience, "sub": subject, "scope": "read command", "iat": now, "exp": now + 3600})
	check(err)
	signed := encoded(header) + "." + encoded(claims)
	hash := sha256.Sum256([]byte(signed))
	r, t, err := ecdsa.Sign(rand.Reader, s.key, hash[:])
	check(err)
	signature := make([]byte, 64)
	r.FillBytes(signature[:32])
	t.FillBytes(signature[32:])
	return signed + "." + encoded(signature)
}
