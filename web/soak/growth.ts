/** How much something grows in an hour, of what was measured from time to time. */

export interface Sample {
  /** Since the beginning. */
  minute: number
  value: number
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other)
  const middle = sorted.length >> 1
  const [low = 0, high = 0] = [sorted[middle - 1], sorted[middle]]
  return sorted.length % 2 === 1 ? high : (low + high) / 2
}

/** The median of the slopes between any two samples (Theil 1950, Sen 1968), an hour: single outliers do not move it. */
export function growthOf(samples: readonly Sample[]): number {
  const slopes = samples.flatMap((one, index) => samples.slice(index + 1).map((other) => (other.value - one.value) / (other.minute - one.minute)))
  return slopes.length === 0 ? 0 : median(slopes) * 60
}
