//! What somebody does in the field (工种). It says whom a task suits and permits nothing: rights come from roles.

use vocabulary::choices;

choices! {
    /// What somebody does in the field.
    pub enum Profession("工种") {
        BatterySwapper = 1 => "换电员",
        BikeMover = 2 => "挪车员",
        Repairer = 3 => "维修员",
        Inspector = 4 => "巡检员",
        Leader = 5 => "负责人",
    }
}
