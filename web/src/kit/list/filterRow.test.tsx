import { act, cleanup, fireEvent, render, screen } from '@testing-library/react'
import { ConfigProvider } from 'antd'
import { useState } from 'react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Filter, Filters } from './description'
import { FilterRow } from './FilterRow'
import { TYPING_PAUSE_MS } from './useTyped'

const filters: Filter[] = [{ kind: 'text', name: 'keyword', label: '关键词' }]
const asked = vi.fn<(values: Filters) => void>()

function Row() {
  const [values, setValues] = useState<Filters>({})
  const take = (next: Filters) => {
    asked(next)
    setValues(next)
  }
  return (
    <ConfigProvider button={{ autoInsertSpace: false }} theme={{ token: { motion: false } }}>
      <FilterRow filters={filters} values={values} onChange={take} />
    </ConfigProvider>
  )
}

const field = () => screen.getByLabelText<HTMLInputElement>('关键词', { selector: 'input' })
const type = (value: string) => fireEvent.change(field(), { target: { value } })
const wait = (ms: number) => act(() => void vi.advanceTimersByTime(ms))

beforeEach(() => {
  vi.useFakeTimers()
  render(<Row />)
})
afterEach(() => {
  cleanup()
  vi.useRealTimers()
  vi.clearAllMocks()
})

describe('the keyword of a list', () => {
  it('is asked after a pause, without what was typed on the way, and the field keeps the focus', () => {
    field().focus()
    type('王')
    wait(TYPING_PAUSE_MS - 1)
    expect(asked).not.toHaveBeenCalled()
    type('王小 ')
    wait(TYPING_PAUSE_MS)
    expect(asked.mock.calls).toEqual([[{ keyword: '王小' }]])
    expect(document.activeElement).toBe(field())
    expect(field().value).toBe('王小 ')
  })

  it('is asked at once on Enter, when the field is left and when it is emptied, and only once', () => {
    type('王')
    fireEvent.keyDown(field(), { key: 'Enter' })
    fireEvent.blur(field())
    wait(TYPING_PAUSE_MS)
    expect(asked.mock.calls).toEqual([[{ keyword: '王' }]])
    type('')
    wait(0)
    expect(asked.mock.calls.at(-1)).toEqual([{ keyword: '' }])
  })

  it('is not asked while an input method composes', () => {
    fireEvent.compositionStart(field())
    type('wang')
    wait(5 * TYPING_PAUSE_MS)
    expect(asked).not.toHaveBeenCalled()
    type('王')
    fireEvent.compositionEnd(field())
    wait(TYPING_PAUSE_MS)
    expect(asked.mock.calls).toEqual([[{ keyword: '王' }]])
  })

  it('follows what is asked elsewhere', () => {
    type('王')
    wait(TYPING_PAUSE_MS)
    fireEvent.click(screen.getByRole('button', { name: '重置' }))
    expect(field().value).toBe('')
  })
})

describe('choices under heads', () => {
  it('stand under them, and are asked for by their values alone', () => {
    vi.useRealTimers()
    const grouped: Filter[] = [
      {
        kind: 'several',
        name: 'events',
        label: '事件',
        options: [
          { value: '1', label: '预约', group: '订单' },
          { value: '2', label: '开锁', group: '订单' },
          { value: '3', label: '告警产生', group: '告警' },
        ],
      },
    ]
    render(<FilterRow filters={grouped} values={{}} onChange={asked} />)
    fireEvent.mouseDown(screen.getByLabelText('事件', { selector: 'input' }))
    const heads = [...document.querySelectorAll('.ant-select-item-group')].map((head) => head.textContent)
    expect(heads).toEqual(['订单', '告警'])
    fireEvent.click(screen.getByText('告警产生'))
    expect(asked).toHaveBeenLastCalledWith({ events: '3' })
  })
})
