import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { App, ConfigProvider, Form } from 'antd'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { grantableTree } from './tree'
import { useCodeReview } from './useCodeReview'

interface Case {
  before: readonly string[] | undefined
  codes: readonly string[]
  run(): Promise<unknown>
}

function Case({ before, codes, run }: Case) {
  const review = useCodeReview(before, codes)
  return (
    <Form onFinish={() => review.save(run, { title: '保存权限变更？', effect: '3 位用户的权限将立即改变。' })}>
      {review.line}
      <button type="submit">保存</button>
    </Form>
  )
}

function show(before: readonly string[] | undefined, codes: readonly string[]) {
  const run = vi.fn<() => Promise<void>>(() => Promise.resolve())
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } })
  client.setQueryData(grantableTree.queryKey, [{ code: '3001', title: '角色列表', kind: 2 }])
  render(
    <QueryClientProvider client={client}>
      <ConfigProvider button={{ autoInsertSpace: false }} theme={{ token: { motion: false } }}>
        <App>
          <Case before={before} codes={codes} run={run} />
        </App>
      </ConfigProvider>
    </QueryClientProvider>,
  )
  return run
}
const press = async (name: string) => fireEvent.click(await screen.findByRole('button', { name }))

afterEach(cleanup)

describe('the review of changed permissions', () => {
  it('saves without a question when no permission changes', async () => {
    const run = show(['3001', '7'], ['7', '3001'])
    expect(screen.queryByText('本次变更')).toBeNull()
    await press('保存')
    await vi.waitFor(() => expect(run).toHaveBeenCalledTimes(1))
    expect(screen.queryByRole('dialog')).toBeNull()
  })

  it('asks nothing about what is new', async () => {
    const run = show(undefined, ['3001'])
    expect(screen.queryByText('本次变更')).toBeNull()
    await press('保存')
    await vi.waitFor(() => expect(run).toHaveBeenCalledTimes(1))
  })

  it('names what changes and whom it concerns, and saves only after a yes', async () => {
    const run = show(['7'], ['3001'])
    expect(screen.getByText('本次变更')).toBeTruthy()
    expect(screen.getByText('+ 角色列表')).toBeTruthy()
    await press('保存')
    expect(await screen.findByText('3 位用户的权限将立即改变。')).toBeTruthy()
    expect(run).not.toHaveBeenCalled()
    await press('保存变更')
    await vi.waitFor(() => expect(run).toHaveBeenCalledTimes(1))
  })
})
