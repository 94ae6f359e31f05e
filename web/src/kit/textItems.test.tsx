import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { Form } from 'antd'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { NameItem, RemarkItem, TextsItem } from './TextItems'

const onFinish = vi.fn<(values: unknown) => void>()

function show() {
  render(
    <Form onFinish={onFinish}>
      <NameItem name="company" label="公司名称" max={4} />
      <RemarkItem max={4} />
      <TextsItem name="codes" label="编号" most={3} max={4} pattern={{ is: /^[\x21-\x7e]+$/, text: '只能是字母、数字和符号' }} />
      <button type="submit">保存</button>
    </Form>,
  )
}
const type = (label: string, value: string) => fireEvent.change(screen.getByLabelText(label), { target: { value } })
const save = () => fireEvent.click(screen.getByRole('button', { name: '保存' }))

afterEach(() => {
  cleanup()
  vi.clearAllMocks()
})

describe('lines of text in a form', () => {
  it('a name of spaces is none, and is asked for by its label', async () => {
    show()
    type('公司名称', '  ')
    save()
    expect(await screen.findByText('请输入公司名称')).toBeTruthy()
    expect(onFinish).not.toHaveBeenCalled()
  })

  it('too long a name or remark is refused', async () => {
    show()
    type('公司名称', '鹭岛出行科')
    type('备注', '鹭岛出行科')
    save()
    await waitFor(() => expect(screen.getAllByText('不超过 4 个字')).toHaveLength(2))
    expect(onFinish).not.toHaveBeenCalled()
  })

  it('a remark may stay empty', async () => {
    show()
    type('公司名称', '鹭岛出行')
    save()
    await vi.waitFor(() => expect(onFinish.mock.calls).toEqual([[{ company: '鹭岛出行', remark: undefined, codes: undefined }]]))
  })

  it('several texts come as a list that was pasted, each once', async () => {
    show()
    type('公司名称', '鹭岛出行')
    type('编号', 'A1，A2、 A1,')
    save()
    await vi.waitFor(() => expect(onFinish.mock.calls).toEqual([[{ company: '鹭岛出行', remark: undefined, codes: ['A1', 'A2'] }]]))
  })

  it('too many of them, one too long and one of other characters are refused by name', async () => {
    show()
    for (const [typed, said] of [
      ['A12345,', '「A12345」超过 4 个字'],
      ['A,B,C,', '最多 3 个，现有 4 个'],
    ] as const) {
      type('编号', typed)
      save()
      expect(await screen.findByText(said)).toBeTruthy()
    }
    cleanup()
    show()
    type('编号', '东门,')
    save()
    expect(await screen.findByText('「东门」只能是字母、数字和符号')).toBeTruthy()
    expect(onFinish).not.toHaveBeenCalled()
  })
})
