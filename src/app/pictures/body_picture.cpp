#include "app/pictures/body_picture.hpp"

#include "app/pictures/picture_field.hpp"
#include "picture/image.hpp"
#include "picture/legend.hpp"
#include "picture/raster.hpp"
#include "picture/solids.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

namespace talus::app {
namespace {

namespace pic = picture;
using pic::Colour;

constexpr int samples = 2;                          // per pixel and direction
constexpr double least_with_edges = 6.0 * samples;  // reach of a body whose edges are drawn
constexpr Colour wall_colour{0.74, 0.76, 0.78}, grid_colour{0.80, 0.82, 0.84};

/// Where colours come from.
struct Scale {
  PictureField field;
  double low = 0.0, high = 1.0;

  Colour of(std::size_t body) const {
    const double value = field.values[body];
    if (!field.kinds.empty()) return pic::of_kind(static_cast<std::size_t>(value));
    return pic::viridis(high > low ? (value - low) / (high - low) : 0.5);
  }
};

/// A mesh of which the file has no triangles: nothing can be said of it.
bool is_bare(const SavedState& state, const NewBody& body) {
  const auto* mesh = std::get_if<Mesh>(&state.shapes[body.shape]);
  return mesh != nullptr && mesh->triangles == nullptr;
}

class Painter {
 public:
  Painter(const SavedState& state, const PictureOptions& options)
      : state_(state), options_(options), letter_(options.width < 640 ? 1 : 2) {
    const bool any = std::any_of(state.bodies.begin(), state.bodies.end(), is_dynamic);
    for (std::size_t b = 0; b < state.bodies.size(); ++b) {
      const bool unseen = std::holds_alternative<Plane>(shape(b)) || is_bare(state, body(b));
      if (!unseen && (!any || is_dynamic(state.bodies[b]))) seen_.push_back(b);
    }
    find_scale();
    find_walls();
  }

  pic::Image draw() {
    pic::Image image(options_.width, options_.height, pic::white);
    const int legend = legend_width(), caption = 2 * letter_ * pic::letter_height;
    const int width = options_.width - legend, height = options_.height - caption;
    place_camera(width, height);
    pic::Raster raster(samples * width, samples * height);
    draw_bodies(raster);
    const pic::Image bodies = raster.resolved(samples, pic::white);
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) image.set(x, y, bodies.at(x, y));
    draw_legend(image, width);
    pic::write(image, caption / 2, options_.height - caption + caption / 4, caption_text(),
               letter_);
    return image;
  }

 private:
  static bool is_dynamic(const NewBody& body) { return body.motion == Motion::Dynamic; }
  const NewBody& body(std::size_t b) const { return state_.bodies[b]; }
  const Shape& shape(std::size_t b) const { return state_.shapes[body(b).shape]; }
  double reach(std::size_t b) const { return reach_of(shape(b), body(b).scale); }

  void find_scale() {
    scale_.field = options_.given ? *options_.given : picture_field(state_, options_.field);
    bool first = true;
    for (const std::size_t b : seen_) {
      const double value = scale_.field.values[b];
      if (!std::isfinite(value)) continue;
      scale_.low = first ? value : std::min(scale_.low, value);
      scale_.high = first ? value : std::max(scale_.high, value);
      first = false;
    }
    if (scale_.field.from_zero) scale_.low = 0.0;
    scale_.low = options_.low.value_or(scale_.low);
    scale_.high = options_.high.value_or(scale_.high);
  }

  /// Whether the centre of another body that moves is inside the bounds of this one, in its frame.
  bool holds_another(std::size_t b) const {
    const Bounds box = bounds_of(shape(b), body(b).scale, Pose{});
    return std::any_of(seen_.begin(), seen_.end(), [&](std::size_t other) {
      const Vec3 at = to_local(body(b).pose, body(other).pose.position);
      return other != b && overlap(box, {at, at});
    });
  }

  void find_walls() {
    if (seen_.empty()) return;
    std::vector<double> reaches;
    for (const std::size_t b : seen_) reaches.push_back(reach(b));
    const auto middle = reaches.begin() + static_cast<std::ptrdiff_t>(reaches.size() / 2);
    std::nth_element(reaches.begin(), middle, reaches.end());
    constexpr double large = 4.0;
    const double least = large * *middle;
    std::erase_if(seen_, [&](std::size_t b) {
      const bool hollow =
          std::holds_alternative<Mesh>(shape(b)) || std::holds_alternative<Compound>(shape(b));
      if (!is_dynamic(body(b)) || !hollow || reach(b) < least || !holds_another(b)) return false;
      walls_.push_back(b);
      return true;
    });
    for (std::size_t b = 0; b < state_.bodies.size(); ++b)
      if (!is_dynamic(body(b)) && !is_bare(state_, body(b)) &&
          !std::binary_search(seen_.begin(), seen_.end(), b))
        walls_.push_back(b);
  }

  // ---- what is in the picture

  void place_camera(int width, int height) {
    const pic::View view = pic::view_from(options_.azimuth, options_.elevation);
    pic::Frame frame;
    bool first = true;
    for (const std::size_t b : seen_) {
      pic::hold(frame, view, shape(b), body(b).scale, body(b).pose);
      const Bounds box = bounds_of(shape(b), body(b).scale, body(b).pose);
      box_.low = first ? box.low : lowest(box_.low, box.low);
      box_.high = first ? box.high : highest(box_.high, box.high);
      first = false;
    }
    for (const std::size_t b : walls_)  // a drum that moves is in it, a hall around all is not
      if (is_dynamic(body(b))) pic::hold(frame, view, shape(b), body(b).scale, body(b).pose);
    find_grids(view, frame);
    camera_ = pic::camera_for(
        view, frame,
        {0.0, 0.0, static_cast<double>(samples * width), static_cast<double>(samples * height)});
  }

  static Vec3 lowest(const Vec3& a, const Vec3& b) {
    return {std::min(a.x, b.x), std::min(a.y, b.y), std::min(a.z, b.z)};
  }
  static Vec3 highest(const Vec3& a, const Vec3& b) {
    return {std::max(a.x, b.x), std::max(a.y, b.y), std::max(a.z, b.z)};
  }

  /// Planes whose free side is seen and that are near become grids: the box of what is seen grows
  /// to them.
  void find_grids(const pic::View& view, pic::Frame& frame) {
    constexpr double edge_on = 0.05;
    if (seen_.empty() || options_.walls == Walls::Hidden) return;
    const Vec3 way = box_.high - box_.low;
    const double size = std::max({way.x, way.y, way.z});
    spacing_ = pic::round_step(size, 6);
    std::vector<std::pair<Vec3, Vec3>> planes;  // normal, point
    for (const std::size_t b : walls_) {
      const auto* plane = std::get_if<Plane>(&shape(b));
      if (plane == nullptr) continue;
      const Vec3 normal = rotate(body(b).pose.orientation, plane->normal);
      const Vec3& point = body(b).pose.position;
      const Vec3 nearest = lowest(highest(point, box_.low), box_.high);
      const double distance = dot(normal, point - nearest);
      if (dot(normal, view.towards) < edge_on || std::abs(distance) > size ||
          !pic::section(normal, point, box_))
        continue;
      const Vec3 grown = nearest + distance * normal;
      box_ = {lowest(box_.low, grown), highest(box_.high, grown)};
      planes.emplace_back(normal, point);
    }
    for (const auto& [normal, point] : planes) {
      grids_.push_back(*pic::section(normal, point, box_));
      for (const Vec3& corner : grids_.back()) pic::hold(frame, view, corner);
    }
  }

  // ---- the drawing

  std::int64_t draw_body(pic::Raster& raster, std::size_t b, const Colour& colour,
                         pic::Layer layer) const {
    return pic::draw(raster, camera_, shape(b), body(b).scale, body(b).pose, {colour, layer});
  }
  Colour colour_of(std::size_t b) const { return is_dynamic(body(b)) ? scale_.of(b) : wall_colour; }

  void draw_bodies(pic::Raster& raster) {
    for (const std::size_t b : seen_) draw_body(raster, b, colour_of(b), pic::Layer::Solid);
    const double most_hidden = 0.02 * static_cast<double>(raster.covered());
    std::vector<std::size_t> solid, glass;
    for (const std::size_t b : walls_) {
      const bool hides =
          options_.walls == Walls::Glass ||
          (options_.walls == Walls::Auto &&
           static_cast<double>(draw_body(raster, b, {}, pic::Layer::Trial)) > most_hidden);
      if (options_.walls != Walls::Hidden) (hides ? glass : solid).push_back(b);
    }
    for (const std::size_t b : solid) draw_body(raster, b, colour_of(b), pic::Layer::Solid);
    solid.insert(solid.end(), seen_.begin(), seen_.end());
    for (const std::size_t b : solid)
      if (reach(b) * camera_.scale > least_with_edges)
        pic::draw_edges(raster, camera_, shape(b), body(b).scale, body(b).pose,
                        {pic::ink, 0.5 * samples, 0.4});
    for (const auto& grid : grids_)
      pic::draw_grid(raster, camera_, grid, spacing_, grid_colour, samples);
    for (const std::size_t b : glass) {
      draw_body(raster, b, colour_of(b), pic::Layer::Glass);
      pic::draw_edges(raster, camera_, shape(b), body(b).scale, body(b).pose,
                      {pic::ink, 0.75 * samples, 0.5});
    }
  }

  // ---- words and numbers

  int legend_width() const {
    int letters = static_cast<int>(scale_.field.title.size()) + 1;
    for (const std::string& kind : scale_.field.kinds)
      letters = std::max(letters, static_cast<int>(kind.size()) + 4);
    const int wanted = letter_ * pic::letter_step * std::max(letters, 12);
    return std::min(wanted, options_.width / 2);
  }

  void draw_legend(pic::Image& image, int x) const {
    const int line = letter_ * pic::letter_height;
    const pic::Place place{x, 2 * line, std::min(options_.height - 6 * line, 40 * line)};
    if (scale_.field.kinds.empty())
      return pic::draw_colour_bar(image, place, scale_.low, scale_.high, scale_.field.title,
                                  letter_);
    std::vector<pic::Kind> kinds;
    for (std::size_t k = 0; k < scale_.field.kinds.size(); ++k)
      if (std::any_of(seen_.begin(), seen_.end(), [&](std::size_t b) {
            return is_dynamic(body(b)) && scale_.field.values[b] == static_cast<double>(k);
          }))
        kinds.push_back({scale_.field.kinds[k], pic::of_kind(k)});
    pic::draw_kinds(image, place, kinds, scale_.field.title, letter_);
  }

  std::string caption_text() const {
    std::string text = fmt::format("t = {:.6g} s, {} bodies", state_.time, state_.bodies.size());
    if (!grids_.empty()) text += fmt::format(", grid {:g} m", spacing_);
    return text;
  }

  const SavedState& state_;
  const PictureOptions& options_;
  int letter_;
  Scale scale_;
  std::vector<std::size_t> seen_, walls_;  ///< bodies: what is looked at; what may stand before it
  std::vector<std::array<Vec3, 4>> grids_;
  Bounds box_;  ///< of what is seen, and up to the grids
  double spacing_ = 1.0;
  pic::Camera camera_;
};

}  // namespace

std::size_t bare_meshes(const SavedState& state) {
  return static_cast<std::size_t>(
      std::count_if(state.bodies.begin(), state.bodies.end(),
                    [&](const NewBody& body) { return is_bare(state, body); }));
}

picture::Image picture_of(const SavedState& state, const PictureOptions& options) {
  return Painter(state, options).draw();
}

}  // namespace talus::app
