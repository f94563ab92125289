#ifndef BASELINE_TREES_H
#define BASELINE_TREES_H
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

/// Points in local metres; the classic libraries measured beside the index.
typedef struct BoostTree BoostTree;
typedef struct FlannTree FlannTree;

BoostTree *boost_tree_make(const double *xy, uint32_t count);      // packed
BoostTree *boost_tree_insert_all(const double *xy, uint32_t count);  // one by one
void boost_tree_free(BoostTree *tree);
uint32_t boost_tree_nearest(const BoostTree *tree, double x, double y, uint32_t k, uint32_t *out);
uint32_t boost_tree_radius(const BoostTree *tree, double x, double y, double radius, uint32_t limit,
                           uint32_t *out);
uint32_t boost_tree_box(const BoostTree *tree, double x0, double y0, double x1, double y1,
                        uint32_t *out, uint32_t capacity);
/// Nearest k among ids with a bit set in `flags`.
uint32_t boost_tree_nearest_flagged(const BoostTree *tree, double x, double y, uint32_t k,
                                    const uint8_t *flags, uint8_t mask, uint32_t *out);
void boost_tree_move(BoostTree *tree, uint32_t id, double x0, double y0, double x1, double y1);

FlannTree *flann_tree_make(const double *xy, uint32_t count);
void flann_tree_free(FlannTree *tree);
uint32_t flann_tree_nearest(const FlannTree *tree, double x, double y, uint32_t k, uint32_t *out);
uint32_t flann_tree_radius(const FlannTree *tree, double x, double y, double radius, uint32_t limit,
                           uint32_t *out);

#ifdef __cplusplus
}
#endif
#endif
