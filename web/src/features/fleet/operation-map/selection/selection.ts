/** Bikes that something was drawn around. Pure. */

export interface Selection {
  readonly slots: readonly number[]
  /** Of how many in what was drawn. */
  readonly total: number
}

/** A command that many bikes may be told at once: none that opens something. */
export interface ManyCommand {
  readonly command: 'ring' | 'lock' | 'powerOff' | 'reboot'
  readonly need: '0305' | '0301||0305'
  readonly consequence: string
  readonly reasoned: boolean
}

export const manyCommands: readonly ManyCommand[] = [
  { command: 'ring', need: '0305', consequence: '车辆将响铃。', reasoned: false },
  { command: 'lock', need: '0301||0305', consequence: '车辆将上锁断电；正在骑行的设备会拒绝。', reasoned: false },
  { command: 'powerOff', need: '0305', consequence: '电机将断电；正在行驶的车辆会失去动力。', reasoned: true },
  { command: 'reboot', need: '0305', consequence: '中控将重启，约一分钟内不在线。', reasoned: false },
]
