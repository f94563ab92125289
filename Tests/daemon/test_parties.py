"""Parties of a running moyeod: what they look like, one effect a key, what is refused.

    MOYEOD=.build/debug/moyeod Tests/run daemon/test_parties.py
"""

import json
import pathlib
import tempfile
import time
import unittest

from party_calls import DESTINATION, ORIGIN, PartyCase, at, body
from running_daemon import ROOT, Daemon


class Parties(PartyCase):
    def test_the_shape_of_a_party(self):
        party = self.create("shape", tags=["#Airport"])
        for name in ("id", "version", "state", "hostId", "riders", "seats", "seatsFree", "origin",
                     "destination", "departureTime", "departureWindowSeconds", "maxDetourRatio",
                     "maxWalkMeters", "tags", "policy", "route", "fare", "perPersonNow",
                     "perPersonIfFull"):
            self.assertIn(name, party)
        self.assertEqual(party["origin"], ORIGIN)
        self.assertEqual(party["destination"], DESTINATION)
        self.assertEqual(
            (party["state"], party["seats"], party["seatsFree"], party["departureWindowSeconds"],
             party["maxDetourRatio"], party["maxWalkMeters"], party["tags"]),
            ("open", 4, 3, 600, 0.25, 300, ["airport"]))
        self.assertIsInstance(party["version"], str)
        self.assertIsInstance(party["fare"]["expected"], int)
        self.assertEqual(party["fare"]["currency"], "KRW")
        self.assertEqual(party["route"]["path"][0], [ORIGIN["longitude"], ORIGIN["latitude"]])
        shown = self.call("GET", f"/v1/parties/{party['id']}")["party"]
        self.assertEqual(shown, party)

    def test_join_leave_and_what_is_refused(self):
        party = self.create("jl-host", seats=2)
        path = f"/v1/parties/{party['id']}"
        joined = self.call("POST", path + "/join", {"riderId": "jl-1"})["party"]
        self.assertEqual((joined["state"], joined["seatsFree"]), ("full", 0))
        self.assertEqual([rider["riderId"] for rider in joined["riders"]], ["jl-host", "jl-1"])
        self.assertEqual(
            sum(rider["share"] for rider in joined["riders"]), joined["fare"]["expected"])
        again = self.call("POST", path + "/join", {"riderId": "jl-1"})["party"]
        self.assertEqual(again, joined)
        self.refused(path + "/join", {"riderId": "jl-2"}, "party_full", 409)
        self.refused(
            path + "/join", {"riderId": "jl-1", "destination": ORIGIN}, "already_member", 409)
        self.refused("/v1/parties", body("jl-1"), "overlapping_party", 409)
        self.refused(path + "/depart", {"riderId": "jl-1"}, "not_host", 409)
        self.refused(path + "/depart", {"riderId": "jl-host"}, "too_early", 409)
        self.refused(
            path + "/settle", {"payerId": "jl-host", "amount": 1000}, "not_departed", 409)
        self.refused(path + "/riders/jl-1/remove", {"reason": "boredom"}, "bad_value", 400)
        left = self.call("POST", path + "/leave", {"riderId": "jl-host"})["party"]
        self.assertEqual((left["hostId"], left["state"]), ("jl-1", "open"))
        self.call("POST", path + "/leave", {"riderId": "nobody"})
        # The path says it all.
        gone = self.call("POST", path + "/cancel")["party"]
        self.assertEqual(gone["state"], "cancelled")
        self.refused(path + "/join", {"riderId": "jl-3"}, "party_cancelled", 409)

    def test_depart_and_settle(self):
        party = self.create("ds-host", minutes=1)
        path = f"/v1/parties/{party['id']}"
        self.call("POST", path + "/join", {"riderId": "ds-1"})
        gone = self.call("POST", path + "/depart", {"riderId": "ds-host"})["party"]
        self.assertEqual(gone["state"], "departed")
        self.refused(path + "/join", {"riderId": "ds-2"}, "party_departed", 409)
        settled = self.call(
            "POST", path + "/settle", {"payerId": "ds-host", "amount": 15301, "tolls": 1000})
        shares = settled["party"]["settlement"]["shares"]
        self.assertEqual(sum(share["amount"] for share in shares), 15301)

    def test_agreed_fares_and_parties_without_a_price(self):
        nowhere = {"latitude": -40.5, "longitude": -130.5}
        there = {"latitude": -40.45, "longitude": -130.5}
        trip = {"origin": nowhere, "destination": there}
        self.refused("/v1/fares/estimate", {
            "origin": nowhere, "destination": there}, "no_tariff_here", 404)
        free = self.call("POST", "/v1/parties", {
            "hostId": "af-free", "departureTime": at(60), **trip})["party"]
        for name in ("fare", "perPersonNow", "perPersonIfFull"):
            self.assertNotIn(name, free)
        agreed = self.call("POST", "/v1/parties", {
            "hostId": "af-host", "departureTime": at(60), **trip,
            "agreedFare": {"amount": 12001, "currency": "NZD"}})["party"]
        self.assertEqual(agreed["agreedFare"], {"amount": 12001, "currency": "NZD"})
        self.assertEqual(
            (agreed["fare"]["source"], agreed["fare"]["expected"],
             agreed["fare"]["minorUnitDigits"]), ("agreed", 12001, 2))
        self.assertNotIn("tariffId", agreed["fare"])
        found = self.call("POST", "/v1/parties/match", {
            "riderId": "af-1", "departureTime": at(60), **trip})["candidates"]
        self.assertEqual([one["party"]["id"] for one in found], [free["id"], agreed["id"]])
        self.assertNotIn("yourFare", found[0])
        self.assertEqual(found[1]["yourFare"], 6000)
        self.assertNotIn("yourSaving", found[1])
        path = f"/v1/parties/{agreed['id']}"
        preview = self.call("POST", path + "/preview", {"riderId": "af-1"})
        self.assertEqual(sum(one["share"] for one in preview["now"]), 12001)
        self.refused(path + "/join", {"riderId": "af-1", "maxShare": 5999}, "share_exceeded", 409)
        joined = self.call("POST", path + "/join", {"riderId": "af-1"})["party"]
        self.assertEqual(sorted(rider["share"] for rider in joined["riders"]), [6000, 6001])
        self.assertTrue(all("soloFare" not in rider for rider in joined["riders"]))
        other = f"/v1/parties/{free['id']}"
        preview = self.call("POST", other + "/preview", {"riderId": "af-2"})
        self.assertTrue("fare" not in preview and "share" not in preview["now"][0])
        joined = self.call("POST", other + "/join", {"riderId": "af-2", "maxShare": 1})["party"]
        self.assertTrue(all("share" not in rider for rider in joined["riders"]))
        events = self.call("GET", "/v1/events?limit=1000")["events"]
        shared = [one for one in events if one["partyId"] == free["id"]
                  and one["kind"] == "party.shares_changed"][-1]["body"]
        self.assertTrue("currency" not in shared and "share" not in shared["shares"][0])
        # Settled without a tariff.
        late = self.call("POST", "/v1/parties", {
            "hostId": "af-late", "departureTime": at(1), **trip,
            "riders": [{"riderId": "af-3"}]})["party"]
        self.call("POST", f"/v1/parties/{late['id']}/depart", {"riderId": "af-late"})
        settled = self.call("POST", f"/v1/parties/{late['id']}/settle", {
            "payerId": "af-3", "amount": 9001})["party"]["settlement"]
        self.assertEqual(sorted(one["amount"] for one in settled["shares"]), [4500, 4501])
        # Where a tariff is, it still says what rides cost alone.
        priced = self.create("af-seoul", agreedFare={"amount": 10000, "currency": "KRW"})
        self.assertEqual(priced["fare"]["source"], "agreed")
        self.assertGreater(priced["riders"][0]["soloFare"], 0)
        self.assertEqual(priced["riders"][0]["share"], 10000)
        self.refused("/v1/parties", body(
            "af-euro", agreedFare={"amount": 1, "currency": "EUR"}, tariffId="kr-seoul-medium"),
            "currency_mismatch", 400, field="agreedFare.currency")

    def test_a_batch_takes_riders_along(self):
        def north(meters):
            return {"latitude": 37.4979 + meters / 110_990, "longitude": 127.0276}

        departs = at(90)

        def ride(name, start, end, **more):
            return {"riderId": name, "origin": north(start), "destination": north(end),
                    "departureTime": departs, "maxDetourRatio": 0.5, **more}

        requests = [
            ride("mb-a", 0, 9000), ride("mb-b", 0, 9000),
            ride("mb-c", 3000, 9000, boarding=north(3000)), ride("mb-d", 4500, 8900)]
        # By the clock alone, the search for groups does not take all the time that there is.
        timed = self.call("POST", "/v1/parties/match-batch", {"requests": requests})
        self.assertEqual([one["riderId"] for one in timed["groups"][0]["boardings"]], ["mb-c"])
        answer = self.call("POST", "/v1/parties/match-batch", {
            "seed": 1, "iterations": 200, "requests": requests})
        self.assertEqual(answer["unmatched"], ["mb-d"])
        group, = answer["groups"]
        self.assertEqual(group["riderIds"][-1], "mb-c")
        stop, = group["boardings"]
        self.assertEqual(stop["riderId"], "mb-c")
        # What the group says is what the commands then give.
        host, other = group["riderIds"][:2]
        party = self.call("POST", "/v1/parties", {
            "hostId": host, "origin": group["pickUp"], "destination": north(9000),
            "departureTime": group["departureTime"], "tariffId": group["tariffId"],
            "departureWindowSeconds": group["departureWindowSeconds"], "maxDetourRatio": 0.5,
            "riders": [{"riderId": other, "dropOff": north(9000), "maxDetourRatio": 0.5}]})["party"]
        joined = self.call("POST", f"/v1/parties/{party['id']}/join", {
            "riderId": "mb-c", "destination": north(9000), "boarding": north(3000),
            "origin": north(3000), "departureTime": departs, "maxDetourRatio": 0.5})["party"]
        self.assertEqual(joined["fare"]["expected"], group["fare"])
        self.assertEqual([one["share"] for one in joined["riders"]],
                         [one["amount"] for one in group["shares"]])
        self.assertEqual(joined["riders"][2]["boardingTime"], stop["boardingTime"])

    def test_the_host_decides(self):
        party = self.create("hd-host", approval="host", seats=2)
        self.assertEqual((party["approval"], party["holdSeats"], party["pendingRequests"]),
                         ("host", False, 0))
        path = f"/v1/parties/{party['id']}"
        asked = self.call("POST", path + "/join", {"riderId": "hd-1"}, key="hd-k1")
        request = asked["joinRequest"]
        self.assertEqual((request["state"], request["riderId"]), ("pending", "hd-1"))
        self.assertTrue(request["expiresAt"].endswith("Z"))
        self.assertEqual(asked["party"]["riderCount"], 1)
        again = self.call("POST", path + "/join", {"riderId": "hd-1"}, key="hd-k1")
        self.assertEqual(again["joinRequest"], request)
        self.assertEqual(
            self.call("POST", path + "/join", {"riderId": "hd-1"})["joinRequest"], request)
        self.refused(
            path + "/join", {"riderId": "hd-1", "destination": ORIGIN}, "already_requested", 409)
        second = self.call("POST", path + "/join", {"riderId": "hd-2"})["joinRequest"]
        waiting = self.call("GET", "/v1/parties?requesterId=hd-2")["parties"]
        self.assertEqual([one["id"] for one in waiting], [party["id"]])
        self.assertEqual(waiting[0]["pendingRequests"], 2)
        self.refused(path + f"/requests/{request['id']}/approve", {"hostId": "hd-1"},
                     "not_host", 409)
        self.refused(path + "/requests/none/approve", {"hostId": "hd-host"},
                     "unknown_join_request", 404)
        approved = self.call(
            "POST", path + f"/requests/{request['id']}/approve", {"hostId": "hd-host"}, key="hd-k2")
        self.assertEqual(approved["joinRequest"]["state"], "approved")
        self.assertEqual([one["riderId"] for one in approved["party"]["riders"]],
                         ["hd-host", "hd-1"])
        self.assertEqual(self.call(
            "POST", path + f"/requests/{request['id']}/approve", {"hostId": "hd-host"},
            key="hd-k2")["party"]["version"], approved["party"]["version"])
        # Full now: refused with its reason, and the request waits on.
        self.refused(path + f"/requests/{second['id']}/approve", {"hostId": "hd-host"},
                     "party_full", 409)
        shown = self.call("GET", path)["party"]
        self.assertEqual([one["state"] for one in shown["joinRequests"]], ["approved", "pending"])
        gone = self.call("POST", path + f"/requests/{second['id']}/withdraw", {"riderId": "hd-2"})
        self.assertEqual((gone["joinRequest"]["state"], gone["joinRequest"]["endReason"]),
                         ("withdrawn", "rider"))
        self.refused(path + f"/requests/{second['id']}/decline", {"hostId": "hd-host"},
                     "join_request_ended", 409)
        self.call("POST", path + "/leave", {"riderId": "hd-1"})
        third = self.call("POST", path + "/join", {"riderId": "hd-3"})["joinRequest"]
        no = self.call("POST", path + f"/requests/{third['id']}/decline")
        self.assertEqual(no["joinRequest"]["state"], "declined")
        last = self.call("POST", path + "/join", {"riderId": "hd-4"})["joinRequest"]
        off = self.call("POST", path + "/cancel", {"riderId": "hd-host"})["party"]
        ended = [one for one in off["joinRequests"] if one["id"] == last["id"]][0]
        self.assertEqual((ended["state"], ended["endReason"]), ("expired", "cancelled"))
        kinds = [one["kind"] for one in self.call("GET", "/v1/events?limit=1000")["events"]
                 if one.get("partyId") == party["id"]]
        self.assertEqual(kinds, [
            "party.created", "party.join_requested", "party.join_requested",
            "party.request_approved", "party.joined", "party.shares_changed",
            "party.request_withdrawn", "party.left", "party.shares_changed",
            "party.join_requested", "party.request_declined", "party.join_requested",
            "party.cancelled", "party.request_expired"])

    def test_bad_input_names_the_field(self):
        good = body("bad")
        for change, word, field in [
                ({"hostId": ""}, "bad_id", "hostId"),
                ({"hostId": None}, "missing_field", "hostId"),
                ({"origin": None}, "missing_field", "origin"),
                ({"origin": {"latitude": 91, "longitude": 0}}, "latitude_out_of_range",
                 "origin.latitude"),
                ({"origin": {"latitude": 0, "longitude": 0}}, "null_island", "origin.latitude"),
                ({"destination": {"latitude": 1}}, "missing_field", "destination.longitude"),
                ({"departureTime": None}, "missing_field", "departureTime"),
                ({"departureWindowSeconds": -1}, "limit_out_of_range", "departureWindowSeconds"),
                ({"seats": 9}, "limit_out_of_range", "seats"),
                ({"seats": 1}, "limit_out_of_range", "seats"),
                ({"maxWalkMeters": -5}, "limit_out_of_range", "maxWalkMeters"),
                ({"splitRule": "byMood"}, "bad_value", "splitRule"),
                ({"tags": [""]}, "bad_tag", "tags[0]"),
                ({"attributes": {"gender": ["f"]}}, "bad_attributes", "attributes"),
                ({"riders": [{"riderId": "bad"}]}, "duplicate_rider", "riders[0].riderId"),
                ({"colour": 1}, "unknown_field", "colour")]:
            given = {key: value for key, value in {**good, **change}.items() if value is not None}
            self.refused("/v1/parties", given, word, 400, field=field)
        self.refused("/v1/parties", body("bad", minutes=-30), "departure_in_past", 409)
        self.refused("/v1/parties", {**good, "policyPack": "none-such"}, "unknown_policy", 404)
        self.refused(
            "/v1/parties", {**good, "agreedFare": {"amount": 1}}, "missing_field", 400,
            field="agreedFare.currency")
        self.refused(
            "/v1/parties", {**good, "agreedFare": {"amount": 1, "currency": "won"}}, "bad_value",
            400, field="agreedFare.currency")
        self.refused("/v1/parties", {**good, "approval": "anyone"}, "bad_value", 400, field="approval")
        self.refused(
            "/v1/parties", {**good, "holdSeats": True}, "conflicting_fields", 400, field="holdSeats")
        self.refused("/v1/parties/nope", None, "unknown_party", 404, method="GET")
        self.refused("/v1/parties/nope/join", {"riderId": "x"}, "unknown_party", 404)
        self.refused("/v1/parties/nope/join", None, "missing_field", 400, field="riderId")
        self.refused("/v1/parties", "", "malformed_request", 400)
        self.refused("/v1/parties", None, "missing_field", 400, method="GET", field="riderId")
        self.refused("/v1/parties?riderId=a&hostId=b", None, "conflicting_fields", 400, "GET")
        self.refused("/v1/parties?riderId=a&state=happy", None, "bad_value", 400, "GET")
        self.refused("/v1/parties/search", {"latitude": 1}, "missing_field", 400)
        self.refused("/v1/events?after=-1", None, "number_out_of_range", 400, method="GET")
        self.refused("/v1/events?waitSeconds=31", None, "limit_out_of_range", 400, method="GET")
        self.refused("/v1/events?after=999999", None, "resume_token_ahead", 410, method="GET")

    def test_policies(self):
        party = self.create(
            "pol", attributes={"gender": "female"}, policy={"sameAttributes": ["gender"]})
        path = f"/v1/parties/{party['id']}/join"
        error = self.refused(path, {"riderId": "pol-1"}, "policy_violation", 409)
        self.assertEqual(error["metadata"], {"attribute": "gender", "unknown": "true"})
        self.refused(
            path, {"riderId": "pol-1", "attributes": {"gender": "male"}}, "policy_violation", 409)
        self.call("POST", path, {"riderId": "pol-1", "attributes": {"gender": "female"}})

    def test_a_policy_pack(self):
        party = self.create(
            "pack", attributes={"gender": "female"}, policyPack="kr-small-taxi")
        path = f"/v1/parties/{party['id']}/join"
        error = self.refused(path, {"riderId": "pack-1"}, "policy_violation", 409)
        self.assertEqual(error["metadata"], {"attribute": "gender", "unknown": "true"})
        error = self.refused(
            path, {"riderId": "pack-1", "attributes": {"gender": "male"}}, "policy_violation", 409)
        self.assertEqual(error["metadata"]["attribute"], "gender")
        self.call("POST", path, {"riderId": "pack-1", "attributes": {"gender": "female"}})

    def test_a_pack_of_the_operator(self):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "quiet.json").write_text(json.dumps(
                {"name": "quiet", "source": "house rules", "sameAttributes": ["mood"]}))
            settings = pathlib.Path(folder, "settings.cfg")
            settings.write_text(json.dumps({"parties": {"policyDirectories": [folder]}}))
            with Daemon("--resources", str(ROOT), "--config", str(settings)) as daemon:
                for name, status in (("quiet", 200), ("kr-small-taxi", 200), ("loud", 404)):
                    got, answer, _ = daemon.request("POST", "/v1/parties", body(
                        "host-" + name, attributes={"mood": "calm", "gender": "male"},
                        policyPack=name))
                    self.assertEqual(got, status, answer)
                    if name == "quiet":
                        got, error, _ = daemon.request(
                            "POST", f"/v1/parties/{answer['party']['id']}/join",
                            {"riderId": "r", "attributes": {"mood": "loud"}})
                        self.assertEqual(
                            (got, error["error"]["reason"]), (409, "policy_violation"), error)

    def test_preview_equals_the_join(self):
        party = self.create("pv")
        path = f"/v1/parties/{party['id']}"
        drop = {"name": "", "latitude": 37.5045, "longitude": 127.0049}
        preview = self.call("POST", path + "/preview", {"riderId": "pv-1", "destination": drop})
        joined = self.call("POST", path + "/join", {"riderId": "pv-1", "destination": drop})
        self.assertEqual(
            {one["riderId"]: one["share"] for one in preview["now"]},
            {one["riderId"]: one["share"] for one in joined["party"]["riders"]})
        self.assertEqual(preview["route"], joined["party"]["route"])
        self.call("POST", path + "/cancel", {})
        refusal = self.call("POST", path + "/preview", {"riderId": "pv-2"})
        self.assertEqual((refusal["refusal"], refusal["now"]), ("party_cancelled", []))

    def test_boarding_on_the_way(self):
        start = {"name": "start", "latitude": 37.63, "longitude": 126.93}
        end = {"name": "end", "latitude": 37.63, "longitude": 127.05}
        there = {"name": "bakery", "latitude": 37.6305, "longitude": 126.99}
        party = self.create("way", origin=start, destination=end, seats=2)
        path = f"/v1/parties/{party['id']}"
        trip = {"riderId": "way-1", "origin": there, "boarding": there, "destination": end,
                "departureTime": at(70), "departureWindowSeconds": 1200, "explain": True}
        match = self.call("POST", "/v1/parties/match", trip)
        best = next(
            one for one in match["candidates"] if one["party"]["id"] == party["id"])
        self.assertLessEqual(best["walkMeters"], 300)
        self.assertGreater(best["boardingTime"], party["departureTime"])
        self.assertEqual(
            [(one["riderId"], one["kind"]) for one in best["route"]["stops"]],
            [("way-1", "board"), ("way-1", "alight"), ("way", "alight")])
        # Without boarding it is a walk of kilometers.
        self.refused(path + "/join", {"riderId": "way-1", "origin": there}, "walk_exceeded", 409)
        self.refused(
            path + "/join", {"riderId": "way-1", "boarding": there, "departureTime": at(300)},
            "window_missed", 409)
        self.refused(
            path + "/join", {"riderId": "way-1", "boarding": there, "maxRideSeconds": 10},
            "ride_too_long", 409)
        self.refused(
            path + "/join", {"riderId": "way-1", "boarding": there, "arriveBy": at(61)},
            "arrives_too_late", 409)
        self.refused(
            path + "/join", {"riderId": "way-1", "boarding": {"latitude": 91, "longitude": 0}},
            "latitude_out_of_range", 400, field="boarding.latitude")
        self.refused(
            path + "/join", {"riderId": "way-1", "boarding": end}, "trip_too_short", 400,
            field="boarding")
        given = {"riderId": "way-1", "boarding": there, "departureTime": trip["departureTime"],
                 "departureWindowSeconds": 1200, "maxShare": best["yourFare"]}
        preview = self.call("POST", path + "/preview", given)
        joined = self.call("POST", path + "/join", given, key="way-1")["party"]
        rider = joined["riders"][1]
        self.assertEqual(rider["share"], best["yourFare"])
        self.assertEqual(
            {one["riderId"]: one["share"] for one in preview["now"]},
            {one["riderId"]: one["share"] for one in joined["riders"]})
        self.assertEqual(sum(one["share"] for one in joined["riders"]), joined["fare"]["expected"])
        for name in ("boarding", "boardingTime", "walkMeters"):
            self.assertEqual(rider[name], preview[name], name)
        self.assertEqual(rider["boarding"], best["boarding"])
        self.assertLess(rider["share"], rider["soloFare"])
        self.assertEqual(joined["state"], "full")
        self.assertEqual(self.call("GET", path)["party"], joined)
        again = self.call("POST", path + "/join", given)["party"]
        self.assertEqual(again["version"], joined["version"])
        other = {"latitude": 37.63, "longitude": 127.01}
        self.refused(
            path + "/join", {"riderId": "way-1", "boarding": other}, "already_member", 409)
        refusal = self.call(
            "POST", path + "/join", {"riderId": "way-2", "boarding": other}, status=409)["error"]
        self.assertIn(refusal["reason"], ("party_full", "detour_exceeded"))
        events = self.call("GET", "/v1/events?kinds=party.joined&limit=1000")["events"]
        mine = [one for one in events if one["partyId"] == party["id"]]
        self.assertEqual(mine[-1]["body"]["boarding"]["latitude"], rider["boarding"]["latitude"])
        self.call("POST", path + "/cancel", {})

    def test_find_list_and_match(self):
        place = {"name": "", "latitude": 37.4003, "longitude": 126.9}
        made = [
            self.create(f"find-{i}", origin=place, maxWalkMeters=1000)["id"] for i in range(5)]
        near = {"latitude": 37.4, "longitude": 126.9, "limit": 2}
        found, cursor = [], None
        while True:
            page = self.call(
                "POST", "/v1/parties/search", {**near, **({"cursor": cursor} if cursor else {})})
            found += [party["id"] for party in page["parties"]]
            cursor = page.get("nextCursor")
            if not cursor:
                break
        self.assertEqual(sorted(found), sorted(made))
        page = self.call("GET", "/v1/parties?hostId=find-3&state=open&state=full")
        self.assertEqual([party["id"] for party in page["parties"]], [made[3]])
        self.assertEqual(self.call("GET", "/v1/parties?riderId=nobody")["parties"], [])
        trip = {"riderId": "m", "origin": {"latitude": 37.4, "longitude": 126.9},
                "destination": DESTINATION, "departureTime": at(60), "explain": True}
        answer = self.call("POST", "/v1/parties/match", trip)
        self.assertEqual(sorted(one["party"]["id"] for one in answer["candidates"]), sorted(made))
        best = answer["candidates"][0]
        self.assertEqual(
            best["yourFare"] + best["yourSaving"], best["party"]["riders"][0]["soloFare"])
        explanation = answer["explanation"]
        self.assertEqual(
            explanation["considered"],
            explanation["matched"] + sum(explanation["removed"].values()))
        none = self.call("POST", "/v1/parties/match", {**trip, "maxWalkMeters": 1})
        self.assertEqual(none["candidates"], [])
        relaxation = none["explanation"]["relaxation"]
        self.assertEqual((relaxation["rule"], relaxation["field"]), ("walk", "maxWalkMeters"))
        wider = self.call(
            "POST", "/v1/parties/match", {**trip, "maxWalkMeters": relaxation["value"]})
        self.assertIn(relaxation["partyId"], [one["party"]["id"] for one in wider["candidates"]])
        layers = self.call("GET", "/v1/layers")["layers"]
        self.assertIn("parties", [layer["name"] for layer in layers])
        hits = self.call("GET", "/v1/layers/parties/nearby?latitude=37.4&longitude=126.9&limit=1")
        self.assertEqual(hits["hits"][0]["attributes"]["seats_free"], 3)
        self.assertEqual(hits["hits"][0]["attributes"]["origin"], "")

    def test_batch_of_requests(self):
        requests = [
            {"riderId": f"b{i}", "origin": {"latitude": 37.5547 + i * 1e-4, "longitude": 126.9707},
             "destination": DESTINATION, "departureTime": at(30)} for i in range(6)]
        given = {"requests": requests, "iterations": 200, "seed": 7}
        answer = self.call("POST", "/v1/parties/match-batch", given)
        riders = [rider for group in answer["groups"] for rider in group["riderIds"]]
        self.assertEqual(sorted(riders + answer["unmatched"]), [f"b{i}" for i in range(6)])
        self.assertTrue(answer["groups"])
        for group in answer["groups"]:
            self.assertEqual(sum(share["amount"] for share in group["shares"]), group["fare"])
        self.assertEqual(self.call("POST", "/v1/parties/match-batch", given), answer)
        empty = self.call("POST", "/v1/parties/match-batch", {"requests": []})
        self.assertEqual((empty["groups"], empty["unmatched"]), ([], []))

    def test_one_effect_after_a_cut_connection(self):
        party = self.create("cut", seats=4)
        path = f"/v1/parties/{party['id']}/join"
        for round in range(10):
            rider = f"cut-{round}"
            given = json.dumps({"riderId": rider}).encode()
            # Sends all of it and hangs up without reading.
            with self.daemon.socket() as link:
                link.sendall(
                    f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nIdempotency-Key: k-{rider}\r\n"
                    f"Content-Type: application/json\r\nContent-Length: {len(given)}\r\n\r\n"
                    .encode() + given)
                if round % 2:
                    time.sleep(0.02)
            status, answer, _ = self.daemon.request(
                "POST", path, {"riderId": rider}, {"Idempotency-Key": f"k-{rider}"})
            self.assertEqual(status, 200, answer)
            aboard = [one["riderId"] for one in answer["party"]["riders"]]
            self.assertEqual(aboard.count(rider), 1)
            self.call("POST", f"/v1/parties/{party['id']}/leave", {"riderId": rider})
        events = self.call("GET", "/v1/events?after=0&kinds=party.joined&limit=1000")["events"]
        joins = [event["body"]["riderId"] for event in events
                 if event["partyId"] == party["id"]]
        self.assertEqual(sorted(joins), sorted(f"cut-{round}" for round in range(10)))

    def test_a_request_that_ends_early_has_no_effect(self):
        """Its JSON is whole, but not its body: nobody knows what else was to come."""
        head = (b"POST /v1/parties HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                b"Content-Type: application/json\r\n")
        text = json.dumps(body("early")).encode()
        chunk = b"Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n" % (len(text), text)
        for rest in (b"Content-Length: %d\r\n\r\n" % (len(text) + 1) + text, chunk, chunk + b"0\r\n"):
            with self.daemon.socket() as link:
                link.sendall(head + rest)
                time.sleep(0.02)
            answer = self.daemon.raw(head + rest, half_close=True)
            self.assertRegex(answer, rb"^HTTP/1.1 400 ")
            self.assertEqual(answer.count(b"HTTP/1.1 "), 1)
        # A host has no two parties at once.
        self.create("early")

    def test_keys(self):
        first = self.call("POST", "/v1/parties", body("key"), key="same")
        again = self.call(
            "POST", "/v1/parties",
            {**body("key"), "departureTime": first["party"]["departureTime"]}, key="same")
        self.assertEqual(first["party"]["id"], again["party"]["id"])
        other = self.daemon.request(
            "POST", "/v1/parties", body("other"), {"Idempotency-Key": "same"})
        self.assertEqual((other[0], other[1]["error"]["reason"]), (409, "idempotency_mismatch"))
        long = self.daemon.request(
            "POST", "/v1/parties", body("other"), {"Idempotency-Key": "x" * 129})
        self.assertEqual((long[0], long[1]["error"]["reason"]), (400, "bad_value"))

    def test_openapi_and_metrics(self):
        paths = self.call("GET", "/openapi.json")["paths"]
        for path, method in [
                ("/v1/parties", "post"), ("/v1/parties", "get"), ("/v1/parties/{id}", "get"),
                ("/v1/parties/{id}/update", "post"), ("/v1/parties/{id}/depart", "post"),
                ("/v1/parties/{id}/riders/{riderId}/remove", "post"),
                ("/v1/parties/{id}/settle", "post"), ("/v1/parties/{id}/cancel", "post"),
                ("/v1/parties/search", "post"), ("/v1/parties/match", "post"),
                ("/v1/parties/{id}/preview", "post"), ("/v1/parties/match/watch", "post"),
                ("/v1/parties/{id}/join", "post"), ("/v1/parties/{id}/leave", "post"),
                ("/v1/parties/{id}/events", "get"), ("/v1/parties/match-batch", "post"),
                ("/v1/events", "get")]:
            self.assertIn(method, paths[path], path)
        names = [header["name"] for header in paths["/v1/parties"]["post"]["parameters"]]
        self.assertIn("Idempotency-Key", names)
        text = self.daemon.request("GET", "/metrics")[1]
        self.assertIn("moyeo_read_only 0", text)
        tile = self.call("GET", "/v1/layers/parties/tiles.json")
        self.assertEqual(tile["tilejson"], "3.0.0")


if __name__ == "__main__":
    unittest.main()
