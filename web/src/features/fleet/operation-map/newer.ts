import type { Vehicle } from './vehicle'

/** The newer of what was asked and what was pushed about the same bike. */
export function newer(asked: Vehicle | undefined, pushed: Vehicle | null): Vehicle | null {
  if (asked === undefined) return pushed
  if (pushed === null || pushed.carId !== asked.carId) return asked
  return pushed.version >= asked.version && (pushed.reportAt ?? 0) >= (asked.reportAt ?? 0) ? pushed : newerCommand(asked, pushed)
}

/** Telemetry and decisions travel on different ways: an older push may still carry the newer command. */
function newerCommand(asked: Vehicle, pushed: Vehicle): Vehicle {
  const later = (pushed.command?.sentAt ?? 0) > (asked.command?.sentAt ?? 0) || (pushed.command?.state ?? 0) > (asked.command?.state ?? 0)
  if (pushed.version > asked.version) return pushed
  return later ? { ...asked, command: pushed.command } : asked
}
