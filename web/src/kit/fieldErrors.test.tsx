import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { App, ConfigProvider, Form, Input } from 'antd'
import { afterEach, describe, expect, it } from 'vitest'
import { Refusal } from '@/api/client'
import { atField } from './fieldErrors'
import { useCommand } from './useCommand'

const fieldOf = { 'phone-taken': 'phone' }

function PhoneForm({ refusal }: { refusal: Refusal }) {
  const [form] = Form.useForm<{ phone: string }>()
  const command = useCommand({ run: (phone: string) => Promise.reject(new Refusal(refusal.code, refusal.text || phone)), stale: [], fieldOf })
  const save = () => void command.mutateAsync('138').catch(atField(form, fieldOf)).catch(() => undefined)
  return (
    <Form form={form} onFinish={save}>
      <Form.Item name="phone" label="手机号">
        <Input />
      </Form.Item>
      <button type="submit">保存</button>
    </Form>
  )
}

async function saveWith(refusal: Refusal): Promise<HTMLElement> {
  render(
    <QueryClientProvider client={new QueryClient()}>
      <ConfigProvider theme={{ token: { motion: false } }}>
        <App>
          <PhoneForm refusal={refusal} />
        </App>
      </ConfigProvider>
    </QueryClientProvider>,
  )
  fireEvent.click(screen.getByRole('button', { name: '保存' }))
  return screen.findByText(refusal.text)
}

afterEach(cleanup)

describe('what the server refuses', () => {
  it('about one field is said there, and nowhere else', async () => {
    const said = await saveWith(new Refusal('phone-taken', '手机号 138****0000 已被使用'))
    expect(said.closest('.ant-form-item')).not.toBeNull()
    expect(document.querySelector('.ant-message-notice')).toBeNull()
    expect(screen.getByLabelText('手机号').getAttribute('aria-invalid')).toBe('true')
  })

  it('about all of it is said by a message', async () => {
    const said = await saveWith(new Refusal('operator-disabled', '该人员已停用'))
    expect(said.closest('.ant-message-notice')).not.toBeNull()
    expect(said.closest('.ant-form-item')).toBeNull()
  })
})
