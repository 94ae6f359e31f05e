import { expect, it } from 'vitest'
import { growthOf } from './growth'

const every = (values: readonly number[]) => values.map((value, minute) => ({ minute, value }))

it('tells what grows steadily by its growth in an hour', () => {
  expect(growthOf(every([10, 11, 12, 13]))).toBe(60)
})

it('is not moved by what comes and goes', () => {
  expect(growthOf(every([10, 10, 90, 10, 10, 10]))).toBe(0)
})

it('knows nothing of one sample', () => {
  expect(growthOf(every([10]))).toBe(0)
})
