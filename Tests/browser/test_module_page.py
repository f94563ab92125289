"""The JavaScript client as the daemon serves it, in Chromium: loaded from /moyeo.js by a page.

    MOYEOD=.build/debug/moyeod Tests/run browser/test_module_page.py
"""

import unittest

import tokens
from browser import Browser
from running_daemon import ROOT, Daemon

# Reports, looks up, watches and draws a viewport; answers what it saw.
SCRIPT = """
const [token, done] = [arguments[0], arguments[arguments.length - 1]];
(async () => {
  const { Moyeo, ViewportClusters } = await import("/moyeo.js");
  const moyeo = new Moyeo("", token ? { token: async () => token } : {});
  await moyeo.positions.report({ layer: "page", positions: [
    { id: "svc", latitude: 37.5, longitude: 127, ttlSeconds: 0 }] });
  const { hits } = await moyeo.positions.nearby({ layer: "page", latitude: 37.5, longitude: 127 });
  const seen = [];
  for await (const event of moyeo.positions.watch(
    { layer: "page", latitude: 37.5, longitude: 127, radiusMeters: 10 })) {
    seen.push(event.kind);
    break;
  }
  const clusters = await new Promise((onClusters, onError) => new ViewportClusters(
    moyeo, { query: { layer: "page" }, onClusters, onError }).show(
    { west: 126.9, south: 37.4, east: 127.1, north: 37.6, zoom: 10 }));
  const tile = await fetch(moyeo.tileURL("page").replace(/\\{[xyz]\\}/g, "0"),
    { headers: moyeo.transformRequest(moyeo.tileURL("page")).headers ?? {} });
  return [hits[0].id, ...seen, clusters[0].pointCount, tile.status, moyeo.tileURL("page")];
})().then(done, (error) => done(String(error)));
"""


class ClientModule(unittest.TestCase):
    def look(self, daemon, token=None):
        browser = Browser()
        self.addCleanup(browser.close)
        # A small document of the daemon's own origin.
        browser.open(f"{daemon.url}/favicon.svg", ready=False)
        found = browser.driver.execute_async_script(SCRIPT, token)
        self.assertEqual(found, ["svc", "enter", 1, 200,
                                 f"{daemon.url}/v1/layers/page/tiles/{{z}}/{{x}}/{{y}}.mvt"])

    def test_a_page_uses_it(self):
        with Daemon("--resources", str(ROOT)) as daemon:
            self.look(daemon)

    def test_it_needs_no_identity_and_sends_one_by_header(self):
        signer = tokens.Signer("one")
        with tokens.key_file(signer) as keys, Daemon(
                "--resources", str(ROOT), env=tokens.settings(keys)) as daemon:
            self.look(daemon, signer.token("svc"))


if __name__ == "__main__":
    unittest.main()
