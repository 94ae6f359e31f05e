import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { App } from 'antd'
import { afterEach, describe, expect, it } from 'vitest'
import { USER } from '@/api/server.fixture'
import { useSession } from '../session/store'
import { PersonMenu } from './PersonMenu'

afterEach(() => {
  cleanup()
  useSession.setState({ user: null, isShow: false })
})

/** The entries of the menu at the person's name. */
async function entries(isShow: boolean): Promise<(string | null)[]> {
  useSession.setState({ user: USER, isShow })
  render(
    <QueryClientProvider client={new QueryClient()}>
      <App>
        <PersonMenu />
      </App>
    </QueryClientProvider>,
  )
  fireEvent.click(screen.getByRole('button', { name: '设置菜单：王小明' }))
  return (await screen.findAllByRole('menuitem')).map((item) => item.textContent)
}

describe('the settings menu', () => {
  it('PERM-012 修改支付密码 is there only when isShow is true', async () => {
    expect(await entries(true)).toContain('修改支付密码')
    cleanup()
    expect(await entries(false)).not.toContain('修改支付密码')
  })

  it('PERM-013 重置支付密码 is there only when isShow is true', async () => {
    expect(await entries(true)).toContain('重置支付密码')
    cleanup()
    expect(await entries(false)).not.toContain('重置支付密码')
  })

  it('AMB-090 without isShow it holds the way out and nothing else', async () => {
    expect(await entries(false)).toEqual(['退出登录'])
  })
})
