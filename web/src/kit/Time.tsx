import { formatTime } from './format'

/** A moment, epoch ms, in the time of the operation. */
export function Time({ at }: { at: number | null | undefined }) {
  return <span className="figure">{formatTime(at)}</span>
}
