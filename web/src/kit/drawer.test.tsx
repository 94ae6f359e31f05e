import { act, cleanup, fireEvent, render, renderHook, screen } from '@testing-library/react'
import { ConfigProvider } from 'antd'
import type { ReactNode } from 'react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Refusal } from '@/api/client'
import { readDraft, writeDraft } from './draft'
import { DraftNotice } from './DraftNotice'
import { Facts } from './Facts'
import { LoadFailure } from './LoadFailure'
import { NewerNotice } from './NewerNotice'
import { useDraft } from './useDraft'

afterEach(cleanup)
beforeEach(() => sessionStorage.clear())

const show = (node: ReactNode) => render(<ConfigProvider button={{ autoInsertSpace: false }}>{node}</ConfigProvider>)
const nothing = () => undefined
const press = (name: string) => fireEvent.click(screen.getByRole('button', { name }))

describe('a newer version', () => {
  const opened = { name: '甲', version: 3 }

  it('is announced and loaded only when asked for', () => {
    const onLoad = vi.fn<(latest: typeof opened) => void>()
    const latest = { name: '乙', version: 4 }
    show(<NewerNotice subject="这个角色" opened={opened} latest={latest} onLoad={onLoad} />)
    expect(screen.getByRole('alert').textContent).toContain('这个角色刚刚被修改')
    expect(onLoad).not.toHaveBeenCalled()
    press('载入最新内容')
    expect(onLoad.mock.calls).toEqual([[latest]])
  })

  it('is not spoken of when the same version was fetched again', () => {
    show(<NewerNotice subject="这个角色" opened={opened} latest={{ ...opened }} onLoad={nothing} />)
    expect(screen.queryByRole('alert')).toBeNull()
  })
})

describe('a failed query', () => {
  const refetch = vi.fn<() => Promise<void>>(() => Promise.resolve())

  it('says what the server said and asks again', () => {
    show(<LoadFailure query={{ isError: true, error: new Refusal('REFUSED', '角色不存在'), refetch }} text="角色加载失败" />)
    expect(screen.getByText('角色不存在')).toBeTruthy()
    press('重试')
    expect(refetch).toHaveBeenCalledTimes(1)
  })

  it('says what did not come when the failure says nothing', () => {
    show(<LoadFailure query={{ isError: true, error: new TypeError('x is undefined'), refetch }} text="角色加载失败" />)
    expect(screen.getByText('角色加载失败')).toBeTruthy()
  })

  it('is nothing to see while all is well', () => {
    show(<LoadFailure query={{ isError: false, error: null, refetch }} text="角色加载失败" />)
    expect(screen.queryByRole('button')).toBeNull()
  })
})

describe('the draft of a form', () => {
  it('goes when what it holds is saved, and stays when saving is refused', async () => {
    const { result } = renderHook(() => useDraft<{ name: string }>('role_1_1'))
    expect(result.current.restored).toBeNull()
    result.current.keep({ name: '甲' })
    await result.current.saving(Promise.reject(new Refusal('REFUSED', '名称已存在')))
    expect(readDraft('role_1_1')).toEqual({ name: '甲' })
    await result.current.saving(Promise.resolve())
    expect(readDraft('role_1_1')).toBeNull()
  })

  it('is no longer restored once it is discarded', () => {
    writeDraft('role_1_1', { name: '甲' })
    const { result } = renderHook(() => useDraft<{ name: string }>('role_1_1'))
    expect(result.current.restored).toEqual({ name: '甲' })
    act(() => result.current.discard())
    expect(result.current.restored).toBeNull()
    expect(readDraft('role_1_1')).toBeNull()
  })

  it('is announced with what it does not hold, and discarding it puts the form back', () => {
    const discard = vi.fn<() => void>()
    const onDiscard = vi.fn<() => void>()
    show(<DraftNotice draft={{ restored: { name: '甲' }, discard }} missing="电话需重新填写" onDiscard={onDiscard} />)
    expect(screen.getByText('已恢复上次未保存的内容（电话需重新填写）')).toBeTruthy()
    press('放弃草稿')
    expect(discard).toHaveBeenCalledTimes(1)
    expect(onDiscard).toHaveBeenCalledTimes(1)
  })

  it('is not spoken of when there is none', () => {
    show(<DraftNotice draft={{ restored: null, discard: nothing }} onDiscard={nothing} />)
    expect(screen.queryByRole('alert')).toBeNull()
  })
})

describe('the facts of a record', () => {
  const short = (count: number) => Array.from({ length: count }, (_, index) => ({ name: `${index}`, value: '甲' }))
  const columnsOf = (facts: Parameters<typeof Facts>[0]['facts']) => {
    show(<Facts facts={facts} />)
    const four = document.querySelector('.facts-four') !== null
    cleanup()
    return four ? 4 : 3
  }

  it('share a line of four when there are just four short ones', () => {
    expect(columnsOf([...short(4), { name: '角色', value: '运维', whole: true }])).toBe(4)
    expect(columnsOf([...short(3), { name: '角色', value: '运维', whole: true }])).toBe(3)
    expect(columnsOf(short(6))).toBe(3)
  })
})
