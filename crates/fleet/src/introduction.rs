//! Devices that say what they are.

use kernel::CommandContext;
use kernel::desk::CommandError;
use kernel::log::LogError;
use kernel::runtime::Runtime;

use crate::model::device::{About, Device, DeviceCommand, Imei};

/// The rule's name in the log.
const INTRODUCTION: &str = "device-introduction";

/// Takes in what a device says it is; the same again changes nothing. Whether such a device is known.
pub async fn introduced(runtime: &Runtime, imei: &str, about: About) -> Result<bool, LogError> {
    let Ok(imei) = Imei::try_from(imei.to_owned()) else { return Ok(false) };
    let ctx = CommandContext::of_system(INTRODUCTION, runtime.clock.now());
    match runtime.desk.execute::<Device>(&imei, DeviceCommand::Introduce(about), &ctx).await {
        Ok(_) => Ok(true),
        Err(CommandError::Log(error)) => Err(error),
        Err(refused) => {
            tracing::debug!(%imei, ?refused, "a device that nobody registered says what it is");
            Ok(false)
        }
    }
}
