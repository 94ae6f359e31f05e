import { act, cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { ConfigProvider, Form, type FormInstance } from 'antd'
import { createRef } from 'react'
import { afterEach, describe, expect, it } from 'vitest'
import { TextItem } from '../TextItems'
import { MoreItems } from './MoreItems'

const form = createRef<FormInstance<{ tel: string }>>()

function Sample({ tel }: { tel: string }) {
  return (
    <ConfigProvider theme={{ token: { motion: false } }}>
      <Form ref={form} initialValues={{ tel }}>
        <MoreItems usual={{ tel: '' }}>
          <TextItem name="tel" label="备用电话" rules={[{ pattern: /^\d*$/, message: '只能包含数字' }]} />
        </MoreItems>
        <button type="submit">保存</button>
      </Form>
    </ConfigProvider>
  )
}
const head = () => screen.getByRole('button', { name: /更多设置/ })
const unfolded = () => head().getAttribute('aria-expanded')
const field = () => screen.getByLabelText<HTMLInputElement>('备用电话')

afterEach(cleanup)

describe('rare fields', () => {
  it('are folded while all is as usual, and part of the form all the same', () => {
    render(<Sample tel="" />)
    expect(unfolded()).toBe('false')
    expect(form.current?.getFieldsValue()).toEqual({ tel: '' })
    fireEvent.click(head())
    expect(unfolded()).toBe('true')
  })

  it('are in sight where one is not as usual', () => {
    render(<Sample tel="110" />)
    expect(unfolded()).toBe('true')
  })

  it('open for a fault, and stay open when it is mended', async () => {
    render(<Sample tel="" />)
    fireEvent.change(field(), { target: { value: '打给小王' } })
    fireEvent.click(screen.getByRole('button', { name: '保存' }))
    await screen.findByText('只能包含数字')
    expect(unfolded()).toBe('true')
    fireEvent.change(field(), { target: { value: '110' } })
    await waitFor(() => expect(screen.queryByText('只能包含数字')).toBeNull())
    expect(unfolded()).toBe('true')
  })

  it('open for what the server refuses', async () => {
    render(<Sample tel="" />)
    act(() => form.current?.setFields([{ name: 'tel', errors: ['号码已停用'] }]))
    expect(await screen.findByText('号码已停用')).toBeTruthy()
    await waitFor(() => expect(unfolded()).toBe('true'))
  })
})
