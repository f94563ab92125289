"""gRPC server reflection, asked by grpcio's own client and in raw messages: whoever has no proto finds the
calls, makes messages and calls."""

import os
import threading
import unittest

os.environ.setdefault("GRPC_VERBOSITY", "NONE")

import grpc  # noqa: E402
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory  # noqa: E402
from grpc_reflection.v1alpha import reflection_pb2  # noqa: E402
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import (  # noqa: E402
    ProtoReflectionDescriptorDatabase)

from running_daemon import ROOT, Daemon  # noqa: E402

METHODS = [f"/grpc.reflection.{version}.ServerReflection/ServerReflectionInfo"
           for version in ("v1", "v1alpha")]
Request = reflection_pb2.ServerReflectionRequest
Response = reflection_pb2.ServerReflectionResponse


class Reflection(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon("--resources", str(ROOT))
        cls.addClassCleanup(cls.daemon.close)
        cls.daemon.report("users", [("a", 37.5, 127.0)])

    def setUp(self):
        self.channel = grpc.insecure_channel(self.daemon.grpc_address)
        self.addCleanup(self.channel.close)

    def ask(self, method, *requests):
        call = self.channel.stream_stream(
            method, request_serializer=bytes, response_deserializer=Response.FromString)
        return list(call(iter([
            one if isinstance(one, bytes) else one.SerializeToString() for one in requests
        ]), timeout=30))

    def test_a_call_made_of_what_is_told(self):
        """As grpcurl does it: by the service's name to its file, to what that imports, to a call."""
        database = ProtoReflectionDescriptorDatabase(self.channel)
        pool = descriptor_pool.DescriptorPool(database)
        services = list(database.get_services())
        self.assertEqual(services, sorted(services))
        for name in services:
            service = pool.FindServiceByName(name)
            self.assertGreater(len(service.methods), 0, name)
            for method in service.methods:
                message_factory.GetMessageClass(method.input_type)
                message_factory.GetMessageClass(method.output_type)
        nearby = pool.FindMethodByName("moyeo.v1.PositionService.Nearby")
        question = message_factory.GetMessageClass(nearby.input_type)
        answer = message_factory.GetMessageClass(nearby.output_type)
        call = self.channel.unary_unary(
            f"/{nearby.containing_service.full_name}/{nearby.name}",
            request_serializer=question.SerializeToString,
            response_deserializer=answer.FromString)
        found = call(question(layer="users", latitude=37.5, longitude=127.0), timeout=30)
        self.assertEqual([hit.id for hit in found.hits], ["a"])

    def test_every_question_on_both_versions(self):
        for method in METHODS:
            with self.subTest(method):
                listed, by_name, by_symbol, nested, none, kept, numbers, unknown, other = self.ask(
                    method, Request(host="here", list_services=""),
                    Request(file_by_filename="moyeo/v1/parties.proto"),
                    Request(file_containing_symbol="moyeo.v1.PartyService.Join"),
                    Request(file_containing_symbol="google.protobuf.Struct.FieldsEntry"),
                    Request(file_containing_symbol="moyeo.v1.Nothing"),
                    Request(file_containing_extension={
                        "containing_type": "moyeo.v1.Point", "extension_number": 100}),
                    Request(all_extension_numbers_of_type="moyeo.v1.Point"),
                    Request(all_extension_numbers_of_type="moyeo.v1.Nothing"), Request(host="x"))
                self.assertEqual((listed.valid_host, listed.original_request.host), ("here", "here"))
                names = [one.name for one in listed.list_services_response.service]
                self.assertIn("moyeo.v1.PartyService", names)
                for answer, file in ((by_name, "moyeo/v1/parties.proto"),
                                     (by_symbol, "moyeo/v1/parties.proto"),
                                     (nested, "google/protobuf/struct.proto")):
                    (encoded,) = answer.file_descriptor_response.file_descriptor_proto
                    self.assertEqual(descriptor_pb2.FileDescriptorProto.FromString(encoded).name, file)
                self.assertEqual(numbers.all_extension_numbers_response.base_type_name, "moyeo.v1.Point")
                codes = [one.error_response.error_code for one in (none, kept, unknown, other)]
                self.assertEqual(codes, [5, 5, 5, 3])
                self.assertIn("moyeo.v1.Nothing", none.error_response.error_message)

    def test_damaged_and_long_requests_end_their_stream_alone(self):
        for method in METHODS:
            for bad in (b"\x0a\xff", b"\x1a\x01\xff", b"\x1a\x81\x20" + b"a" * 4097):
                with self.subTest(method, bad=bad[:4]):
                    with self.assertRaises(grpc.RpcError) as caught:
                        self.ask(method, bad)
                    self.assertEqual(caught.exception.code(), grpc.StatusCode.INVALID_ARGUMENT)
            self.assertEqual(len(self.ask(method, Request(list_services=""))), 1)

    def test_it_can_be_turned_off_and_ends_with_the_daemon(self):
        with Daemon(env={"MOYEO_GRPC_REFLECTION": "false"}) as silent:
            with grpc.insecure_channel(silent.grpc_address) as channel:
                for method in METHODS:
                    with self.assertRaises(grpc.RpcError) as caught:
                        list(channel.stream_stream(method)(iter([b""]), timeout=30))
                    self.assertEqual(caught.exception.code(), grpc.StatusCode.UNIMPLEMENTED)
        with Daemon() as daemon, grpc.insecure_channel(daemon.grpc_address) as channel:
            left = threading.Event()
            self.addCleanup(left.set)

            def waiting():
                yield Request(list_services="").SerializeToString()
                left.wait(60)

            call = channel.stream_stream(METHODS[0])(waiting())
            next(call)
            self.assertEqual(daemon.terminate(), 0)
            with self.assertRaises(grpc.RpcError) as caught:
                next(call)
            self.assertEqual(caught.exception.code(), grpc.StatusCode.UNAVAILABLE)


if __name__ == "__main__":
    unittest.main()
