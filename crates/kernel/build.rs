//! A new migration is a reason to build anew: the migrations lie inside the program.
fn main() {
    println!("cargo:rerun-if-changed=../../migrations");
}
