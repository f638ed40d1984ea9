// A ring of messages in SimGrid (S4U), for the clock and the message rate of package virtual:
//
//	simgrid-ring RANKS STEPS BYTES --cfg=network/model:CM02 --cfg=network/crosstraffic:0 --cfg=network/TCP-gamma:0
//
// Every host has a full-duplex NIC of 1.25 GB/s, and its end of a way takes 25 us. In each step every
// rank sends BYTES to the next and receives as many. Prints the simulated seconds, the messages, and the
// seconds that the simulation took, set-up left out.
#include <simgrid/s4u.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace sg = simgrid::s4u;

int main(int argc, char** argv) {
  sg::Engine engine(&argc, argv);
  if (argc != 4) {
    std::fprintf(stderr, "usage: simgrid-ring RANKS STEPS BYTES\n");
    return 2;
  }
  const int ranks = std::atoi(argv[1]), steps = std::atoi(argv[2]);
  const double bytes = std::atof(argv[3]);

  auto* zone = sg::create_full_zone("ring");
  std::vector<sg::Host*> hosts;
  std::vector<sg::Link*> out, in;
  auto nic = [&](const std::string& name) { return zone->create_link(name, 1.25e9)->set_latency(25e-6)->seal(); };
  for (int i = 0; i < ranks; i++) {
    const auto id = std::to_string(i);
    hosts.push_back(zone->create_host("host" + id, 1e12));
    out.push_back(nic("out" + id));
    in.push_back(nic("in" + id));
  }
  for (int i = 0; i < ranks; i++) {
    const int right = (i + 1) % ranks;
    zone->add_route(hosts[i]->get_netpoint(), hosts[right]->get_netpoint(), nullptr, nullptr,
                    {sg::LinkInRoute(out[i]), sg::LinkInRoute(in[right])}, false);
  }
  zone->seal();

  static int token = 1;
  for (int i = 0; i < ranks; i++) {
    sg::Actor::create("rank" + std::to_string(i), hosts[i], [=] {
      auto* mine = sg::Mailbox::by_name(std::to_string(i));
      auto* next = sg::Mailbox::by_name(std::to_string((i + 1) % ranks));
      int* got;
      for (int s = 0; s < steps; s++) {
        auto received = mine->get_async<int>(&got);
        auto sent = next->put_async(&token, static_cast<uint64_t>(bytes));
        sent->wait();
        received->wait();
      }
    });
  }
  const auto begin = std::chrono::steady_clock::now();
  engine.run();
  const double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  std::printf("%.12f %ld %.6f\n", engine.get_clock(), static_cast<long>(ranks) * steps, wall);
}
