import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { act, cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { App, ConfigProvider, Form } from 'antd'
import { afterEach, expect, it, vi } from 'vitest'
import type { FilterOption } from '../list/description'
import { RemoteItem } from './RemoteItem'

const people: readonly FilterOption[] = [
  { value: '1', label: '王芳 138****0001' },
  { value: '2', label: '李强 138****0002' },
  { value: '3', label: '王伟 138****0003' },
]
const choices = (keyword: string) => ({
  queryKey: ['people', keyword],
  queryFn: () => Promise.resolve(people.filter(({ value, label }) => value === keyword || label.includes(keyword))),
})
const held = [{ value: '9', label: '陈伟（已停用）' }]
const changed = vi.fn<(values: { people: string[] }) => void>()

async function show(first: string[], disabled = false) {
  render(
    <QueryClientProvider client={new QueryClient()}>
      <ConfigProvider theme={{ token: { motion: false } }}>
        <App>
          <Form initialValues={{ people: first }} onValuesChange={(_, values: { people: string[] }) => changed(values)}>
            <RemoteItem name="people" label="人员" choices={choices} held={held} disabled={disabled} none="没有人" />
          </Form>
        </App>
      </ConfigProvider>
    </QueryClientProvider>,
  )
  await act(async () => Promise.resolve())
}
const box = () => screen.getByLabelText('人员')
const chosen = () => [...document.querySelectorAll('.ant-select-selection-item-content')].map((item) => item.textContent)
const offered = () => [...document.querySelectorAll('.ant-select-item-option-content')].map((item) => item.textContent)
const search = (text: string) => fireEvent.change(box(), { target: { value: text } })

afterEach(() => {
  cleanup()
  changed.mockReset()
})

it('shows by name what is held, also what only a draft names', async () => {
  await show(['9', '2'])
  await waitFor(() => expect(chosen()).toEqual(['陈伟（已停用）', '李强 138****0002']))
})

it('finds by a part of the name, and what was chosen keeps its name under another search', async () => {
  await show(['9'])
  fireEvent.mouseDown(box())
  search('王')
  await waitFor(() => expect(offered()).toEqual(expect.arrayContaining(['王芳 138****0001', '王伟 138****0003'])))
  fireEvent.click(screen.getByText('王芳 138****0001', { selector: '.ant-select-item-option-content' }))
  expect(changed).toHaveBeenLastCalledWith({ people: ['9', '1'] })
  search('李')
  await waitFor(() => expect(offered()).toContain('李强 138****0002'))
  expect(chosen()).toEqual(['陈伟（已停用）', '王芳 138****0001'])
})

it('takes nothing while it is disabled', async () => {
  await show(['9'], true)
  expect((box() as HTMLInputElement).disabled).toBe(true)
  expect(chosen()).toEqual(['陈伟（已停用）'])
})
