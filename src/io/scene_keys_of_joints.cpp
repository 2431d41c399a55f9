// Keys of joints and springs.

#include "io/scene_key.hpp"

namespace talus::io {
namespace {

SectionRules joint_section() {
  return {
      .name = "joint",
      .title = "a joint",
      .kind_key = "type",
      .keys = {
          Key("name", KeyType::Text, "what others call it by").needed(),
          type_rule("what it leaves free", {"fixed", "spherical", "revolute", "prismatic",
                                            "cylindrical", "universal", "distance"}),
          Key("between", KeyType::Texts, "two bodies, or a body and `world`").needed().times(2),
          Key("position", KeyType::Numbers,
              "of the joint at the start; of a distance, the point on the first body")
              .needed()
              .in("m")
              .times(3),
          Key("axis", KeyType::Numbers,
              "of the joint at the start (universal: fixed to the first body)")
              .or_else("[0, 0, 1]")
              .times(3)
              .only_of({"revolute", "prismatic", "cylindrical", "universal"}),
          Key("second_axis", KeyType::Numbers, "fixed to the second body, normal to `axis`")
              .needed()
              .times(3)
              .only_of({"universal"}),
          Key("second_position", KeyType::Numbers, "the point on the second body at the start")
              .needed()
              .in("m")
              .times(3)
              .only_of({"distance"}),
          Key("length", KeyType::Number, "the distance that is kept")
              .in("m")
              .or_else("distance of the points")
              .within(positive)
              .only_of({"distance"}),
          Key("limits", KeyType::Section, "of the angle, of the way")
              .or_else("none")
              .made_of("limits")
              .only_of({"revolute", "prismatic", "cylindrical", "distance"}),
          Key("motor", KeyType::Section, "what drives it")
              .made_of("motor")
              .only_of({"revolute", "prismatic", "cylindrical"}),
          Key("motors", KeyType::Sections, "two of them").made_of("motor").only_of({"cylindrical"}),
          Key("compliance", KeyType::Number, "of every row (spook)")
              .in("m/N")
              .or_else("0")
              .within(not_negative),
          Key("collide", KeyType::Flag, "whether its two bodies touch each other while it is on")
              .or_else("false; of a distance, true"),
          Key("on", KeyType::Flag, "at the start").or_else("true"),
      }};
}

}  // namespace

std::vector<SectionRules> sections_of_joints() {
  return {
      joint_section(),
      {.name = "limits",
       .title = "limits",
       .keys = {Key("angle", KeyType::Numbers, "least and largest; .inf: none")
                    .in("rad")
                    .within(open_ended)
                    .times(2),
                Key("way", KeyType::Numbers,
                    "least and largest; of a distance joint, of the distance")
                    .in("m")
                    .within(open_ended)
                    .times(2)}},
      {.name = "motor",
       .title = "a motor",
       .keys = {type_rule("what `value` is", {"position", "speed", "force", "torque"}),
                Key("value", KeyType::Formula, "of time")
                    .needed()
                    .in("rad, m; rad/s, m/s; N m, N")
                    .with(of_time),
                Key("limit", KeyType::Number, "what it can do at most")
                    .in("N m, N")
                    .or_else("none")
                    .within(positive),
                Key("of", KeyType::Choice, "what it drives, where a joint leaves both free")
                    .one_of({"angle", "way"}),
                Key("on", KeyType::Flag, "at the start").or_else("true")}},
      {.name = "spring",
       .title = "a spring",
       .keys =
           {Key("name", KeyType::Text, "what others call it by").needed(),
            Key("between", KeyType::Texts, "two bodies, or a body and `world`").needed().times(2),
            Key("at", KeyType::Points, "the two points at the start, first on the first body")
                .needed()
                .in("m")
                .times(2),
            Key("stiffness", KeyType::Number, "force per length")
                .needed()
                .in("N/m")
                .within(positive),
            Key("damping", KeyType::Number, "force per speed")
                .in("N s/m")
                .or_else("0")
                .within(not_negative),
            Key("length", KeyType::Number, "without force")
                .in("m")
                .or_else("distance of the points")
                .within(not_negative),
            Key("on", KeyType::Flag, "at the start").or_else("true")}},
  };
}

}  // namespace talus::io
