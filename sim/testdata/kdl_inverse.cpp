// Solves poses by Orocos KDL, for a comparison. Standard input has one line for each of
// six joints (origin x y z in the parent, axis 0 to 2, lower, upper), one line with the
// tool's x, the number of poses, and for each of those a line with the seed (6), the
// position (3) and the rotation matrix (9, rows first). Prints for two solvers: solved
// within 1e-6 m and rad and within the limits, median and p99 in ns.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

#include <kdl/chain.hpp>
#include <kdl/chainfksolverpos_recursive.hpp>
#include <kdl/chainiksolverpos_lma.hpp>
#include <kdl/chainiksolverpos_nr_jl.hpp>
#include <kdl/chainiksolvervel_pinv.hpp>

struct Task { KDL::JntArray seed{6}; KDL::Frame pose; };

template <class Solver>
void run(const char *name, Solver &solver, KDL::ChainFkSolverPos_recursive &fk, const std::vector<Task> &tasks,
         const KDL::JntArray &lo, const KDL::JntArray &hi) {
  std::vector<double> ns;
  int solved = 0;
  for (const Task &t : tasks) {
    KDL::JntArray q(6);
    auto begun = std::chrono::steady_clock::now();
    solver.CartToJnt(t.seed, t.pose, q);
    ns.push_back(std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begun).count());
    KDL::Frame got;
    fk.JntToCart(q, got);
    KDL::Twist off = KDL::diff(t.pose, got);
    bool within = off.vel.Norm() < 1e-6 && off.rot.Norm() < 1e-6;
    for (int i = 0; i < 6; i++) within = within && q(i) >= lo(i) - 1e-9 && q(i) <= hi(i) + 1e-9;
    solved += within;
  }
  std::sort(ns.begin(), ns.end());
  std::printf("%s %d %.0f %.0f\n", name, solved, ns[ns.size() / 2], ns[ns.size() * 99 / 100]);
}

int main() {
  KDL::Chain chain;
  KDL::JntArray lo(6), hi(6);
  KDL::Vector at;
  KDL::Joint::JointType turns[] = {KDL::Joint::RotX, KDL::Joint::RotY, KDL::Joint::RotZ};
  chain.addSegment(KDL::Segment(KDL::Joint(KDL::Joint::None)));
  int axes[6];
  KDL::Vector origins[6];
  for (int i = 0; i < 6; i++)
    if (std::scanf("%lf %lf %lf %d %lf %lf", &origins[i].data[0], &origins[i].data[1], &origins[i].data[2], &axes[i], &lo(i), &hi(i)) != 6) return 1;
  double tool;
  int n;
  if (std::scanf("%lf %d", &tool, &n) != 2) return 1;
  // A segment is its joint, then the way to the next one.
  chain = KDL::Chain();
  chain.addSegment(KDL::Segment(KDL::Joint(KDL::Joint::None), KDL::Frame(origins[0])));
  for (int i = 0; i < 6; i++)
    chain.addSegment(KDL::Segment(KDL::Joint(turns[axes[i]]), KDL::Frame(i < 5 ? origins[i + 1] : KDL::Vector(tool, 0, 0))));
  std::vector<Task> tasks(n);
  for (Task &t : tasks) {
    for (int i = 0; i < 6; i++) if (std::scanf("%lf", &t.seed(i)) != 1) return 1;
    for (int i = 0; i < 3; i++) if (std::scanf("%lf", &t.pose.p.data[i]) != 1) return 1;
    for (int i = 0; i < 9; i++) if (std::scanf("%lf", &t.pose.M.data[i]) != 1) return 1;
  }
  KDL::ChainFkSolverPos_recursive fk(chain);
  KDL::ChainIkSolverPos_LMA lma(chain, 1e-8, 500, 1e-10);
  run("LMA", lma, fk, tasks, lo, hi);
  KDL::ChainIkSolverVel_pinv velocity(chain);
  KDL::ChainIkSolverPos_NR_JL limited(chain, lo, hi, fk, velocity, 500, 1e-8);
  run("NR_JL", limited, fk, tasks, lo, hi);
}
