#include "BaselineTrees.h"

// Boost before 1.83 counts these enums past their ends in constant expressions, which newer clangs
// refuse; with a fixed underlying type every value is in range. Stands in for Boost's headers.
#define BOOST_NUMERIC_CONVERSION_INT_FLOAT_MIXTURE_ENUM_FLC_12NOV2002_HPP
#define BOOST_NUMERIC_CONVERSION_SIGN_MIXTURE_ENUM_FLC_12NOV2002_HPP
#define BOOST_NUMERIC_CONVERSION_UDT_BUILTIN_MIXTURE_ENUM_FLC_12NOV2002_HPP
namespace boost {
namespace numeric {
enum int_float_mixture_enum : int {
  integral_to_integral,
  integral_to_float,
  float_to_integral,
  float_to_float
};
enum sign_mixture_enum : int {
  unsigned_to_unsigned,
  signed_to_signed,
  signed_to_unsigned,
  unsigned_to_signed
};
enum udt_builtin_mixture_enum : int {
  builtin_to_builtin,
  builtin_to_udt,
  udt_to_builtin,
  udt_to_udt
};
}  // namespace numeric
}  // namespace boost

#include <algorithm>
#include <boost/geometry.hpp>
#include <boost/geometry/geometries/box.hpp>
#include <boost/geometry/geometries/point.hpp>
#include <boost/geometry/index/rtree.hpp>
#include <nanoflann.hpp>
#include <vector>

namespace bg = boost::geometry;
namespace bgi = boost::geometry::index;
using Point = bg::model::point<double, 2, bg::cs::cartesian>;
using Box = bg::model::box<Point>;
using Value = std::pair<Point, uint32_t>;
using Tree = bgi::rtree<Value, bgi::rstar<16>>;

struct BoostTree {
  BoostTree() = default;
  explicit BoostTree(const std::vector<Value> &values) : tree(values) {}
  Tree tree;
};

static std::vector<Value> values(const double *xy, uint32_t count) {
  std::vector<Value> out;
  out.reserve(count);
  for (uint32_t i = 0; i < count; ++i) out.emplace_back(Point(xy[2 * i], xy[2 * i + 1]), i);
  return out;
}

BoostTree *boost_tree_make(const double *xy, uint32_t count) {
  return new BoostTree(values(xy, count));
}

BoostTree *boost_tree_insert_all(const double *xy, uint32_t count) {
  auto *tree = new BoostTree{};
  for (uint32_t i = 0; i < count; ++i)
    tree->tree.insert(Value(Point(xy[2 * i], xy[2 * i + 1]), i));
  return tree;
}

void boost_tree_free(BoostTree *tree) { delete tree; }

uint32_t boost_tree_nearest(const BoostTree *tree, double x, double y, uint32_t k, uint32_t *out) {
  uint32_t n = 0;
  for (auto it = tree->tree.qbegin(bgi::nearest(Point(x, y), k)); it != tree->tree.qend(); ++it)
    out[n++] = it->second;
  return n;
}

uint32_t boost_tree_radius(const BoostTree *tree, double x, double y, double radius, uint32_t limit,
                           uint32_t *out) {
  uint32_t n = 0;
  Point center(x, y);
  for (auto it = tree->tree.qbegin(bgi::nearest(center, limit)); it != tree->tree.qend(); ++it) {
    if (bg::comparable_distance(it->first, center) > radius * radius) break;
    out[n++] = it->second;
  }
  return n;
}

uint32_t boost_tree_box(const BoostTree *tree, double x0, double y0, double x1, double y1,
                        uint32_t *out, uint32_t capacity) {
  uint32_t n = 0;
  Box box(Point(x0, y0), Point(x1, y1));
  for (auto it = tree->tree.qbegin(bgi::intersects(box)); it != tree->tree.qend() && n < capacity;
       ++it)
    out[n++] = it->second;
  return n;
}

uint32_t boost_tree_nearest_flagged(const BoostTree *tree, double x, double y, uint32_t k,
                                    const uint8_t *flags, uint8_t mask, uint32_t *out) {
  uint32_t n = 0;
  auto carries = [&](const Value &v) { return (flags[v.second] & mask) != 0; };
  for (auto it = tree->tree.qbegin(bgi::nearest(Point(x, y), k) && bgi::satisfies(carries));
       it != tree->tree.qend(); ++it)
    out[n++] = it->second;
  return n;
}

void boost_tree_move(BoostTree *tree, uint32_t id, double x0, double y0, double x1, double y1) {
  tree->tree.remove(Value(Point(x0, y0), id));
  tree->tree.insert(Value(Point(x1, y1), id));
}

struct Cloud {
  std::vector<double> xy;
  size_t kdtree_get_point_count() const { return xy.size() / 2; }
  double kdtree_get_pt(size_t i, size_t d) const { return xy[2 * i + d]; }
  template <class B>
  bool kdtree_get_bbox(B &) const {
    return false;
  }
};
using Flann = nanoflann::KDTreeSingleIndexAdaptor<nanoflann::L2_Simple_Adaptor<double, Cloud>, Cloud,
                                                  2, uint32_t>;

struct FlannTree {
  Cloud cloud;
  Flann tree;
  FlannTree(const double *xy, uint32_t count)
      : cloud{std::vector<double>(xy, xy + 2 * size_t(count))},
        tree(2, cloud, nanoflann::KDTreeSingleIndexAdaptorParams(16)) {
    tree.buildIndex();
  }
};

FlannTree *flann_tree_make(const double *xy, uint32_t count) { return new FlannTree(xy, count); }
void flann_tree_free(FlannTree *tree) { delete tree; }

uint32_t flann_tree_nearest(const FlannTree *tree, double x, double y, uint32_t k, uint32_t *out) {
  double query[2] = {x, y};
  std::vector<double> distances(k);
  return uint32_t(tree->tree.knnSearch(query, k, out, distances.data()));
}

uint32_t flann_tree_radius(const FlannTree *tree, double x, double y, double radius, uint32_t limit,
                           uint32_t *out) {
  double query[2] = {x, y};
  std::vector<double> distances(limit);
  uint32_t n = uint32_t(tree->tree.knnSearch(query, limit, out, distances.data()));
  while (n > 0 && distances[n - 1] > radius * radius) --n;
  return n;
}
