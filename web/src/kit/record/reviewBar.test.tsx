import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { neighboursOf } from '../list/useArrows'
import { type Decision, ReviewBar } from './ReviewBar'

const decided = vi.fn<(key: string) => void>()
const decision = (key: string, hotkey: string, unavailable?: string): Decision => ({ key, label: key, hotkey, unavailable, onDecide: () => decided(key) })
const decisions = [decision('通过', 'a'), decision('驳回', 'r'), decision('通过并建站', 'b', '申请已驳回')]
const ends = { previous: null, next: null }

afterEach(() => {
  cleanup()
  decided.mockReset()
})

describe('the bar of a case that is reviewed', () => {
  it('decides by letters, and not by what cannot be decided now', () => {
    render(<ReviewBar decisions={decisions} neighbours={ends} />)
    for (const key of ['a', 'R', 'b', 'x']) fireEvent.keyDown(window, { key })
    expect(decided.mock.calls).toEqual([['通过'], ['驳回']])
    expect(screen.getByRole('button', { name: '通过并建站' })).toHaveProperty('title', '申请已驳回')
  })

  it('takes no letter that is text, answers a question or is held down', () => {
    render(
      <>
        <ReviewBar decisions={decisions} neighbours={ends} />
        <textarea aria-label="原因" />
        <div className="ant-modal">
          <button type="button">取消</button>
        </div>
      </>,
    )
    fireEvent.keyDown(screen.getByLabelText('原因'), { key: 'a' })
    fireEvent.keyDown(screen.getByText('取消'), { key: 'a' })
    fireEvent.keyDown(window, { key: 'a', ctrlKey: true })
    fireEvent.keyDown(window, { key: 'a', repeat: true })
    expect(decided).not.toHaveBeenCalled()
  })

  it('leads to the cases before and behind, and no further', () => {
    const opened: string[] = []
    const at = (open: string) => neighboursOf(['1', '2', '3'], open, (key) => opened.push(key))
    const { rerender } = render(<ReviewBar decisions={[]} neighbours={at('2')} />)
    fireEvent.click(screen.getByRole('button', { name: '上一条' }))
    fireEvent.click(screen.getByRole('button', { name: '下一条' }))
    expect(opened).toEqual(['1', '3'])
    rerender(<ReviewBar decisions={[]} neighbours={at('3')} />)
    expect(screen.getByRole('button', { name: '下一条' })).toHaveProperty('disabled', true)
    expect(at('9')).toEqual(ends)
  })
})
