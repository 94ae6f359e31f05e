import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, describe, expect, it } from 'vitest'
import { Permit } from './Permit'
import { noCodes, useCodes } from './permission/held'

afterEach(() => {
  cleanup()
  useCodes.setState(noCodes, true)
})

/** Whether what asks for `need` is in the document for someone with `codes`. */
function shows(need: string, ...codes: string[]): boolean {
  cleanup()
  useCodes.setState(new Set(codes), true)
  render(
    <Permit need={need}>
      <button type="button">停用</button>
    </Permit>,
  )
  return screen.queryByRole('button') !== null
}

describe('an element under action control', () => {
  it('PERM-008 is not rendered without the permission it names', () => {
    expect(shows('X')).toBe(false)
    expect(shows('X', 'Y')).toBe(false)
    expect(shows('X', 'X')).toBe(true)
  })

  it('PERM-009 a comma asks for all', () => {
    expect(shows('X,Y', 'X')).toBe(false)
    expect(shows('X,Y', 'X', 'Y')).toBe(true)
  })

  it('PERM-010 || asks for one of them', () => {
    expect(shows('X||Y', 'Z')).toBe(false)
    expect(shows('X||Y', 'Y')).toBe(true)
  })

  it('AMB-088 || splits first, and nothing named hides', () => {
    expect(shows('X,Y||Z', 'Z')).toBe(true)
    expect(shows('X,Y||Z', 'X')).toBe(false)
    expect(shows('', 'X')).toBe(false)
  })

  it('before the rights are loaded it hides', () => {
    render(<Permit need="X">停用</Permit>)
    expect(screen.queryByText('停用')).toBeNull()
  })
})
