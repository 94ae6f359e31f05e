import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { notify, plugNotifier, REPEAT_MS } from './notify'

const error = vi.fn<(title: string, description: string) => void>()
const success = vi.fn<(title: string, description: string) => void>()

beforeEach(() => {
  vi.useFakeTimers()
  vi.advanceTimersByTime(REPEAT_MS)
  error.mockClear()
  success.mockClear()
  plugNotifier({ error, success })
})
afterEach(() => {
  plugNotifier(null)
  vi.useRealTimers()
})

describe('notifications', () => {
  it('the same error is told once, however many calls fail together', () => {
    for (let call = 0; call < 20; call += 1) notify.error('错误', '网络出现问题，请稍后再试')
    expect(error).toHaveBeenCalledOnce()
    vi.advanceTimersByTime(REPEAT_MS)
    notify.error('错误', '网络出现问题，请稍后再试')
    expect(error).toHaveBeenCalledTimes(2)
  })

  it('different errors are all told', () => {
    notify.error('Forbidden', '没有权限')
    notify.error('错误', '没有权限')
    expect(error).toHaveBeenCalledTimes(2)
  })

  it('what is told before the frame stands is shown when it does', () => {
    plugNotifier(null)
    notify.error('错误', '请求用户信息失败，请重试')
    notify.success('欢迎', '登录成功')
    plugNotifier({ error, success })
    expect(error.mock.calls).toEqual([['错误', '请求用户信息失败，请重试']])
    expect(success.mock.calls).toEqual([['欢迎', '登录成功']])
  })
})
