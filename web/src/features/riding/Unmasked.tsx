import { EyeOutlined } from '@ant-design/icons'
import { App, Button } from 'antd'
import { useState } from 'react'
import type { CallOptions } from '@/api/client'
import { EMPTY } from '@/kit/format'
import { useCommand } from '@/kit/useCommand'
import './riding.css'

interface UnmaskedProps {
  /** Whose. */
  of: string
  masked: readonly string[]
  /** What the button says, and its name where several stand side by side. */
  button?: string
  label?: string
  /** Brings the same in whole; who asked is kept by the server. */
  reveal(options: CallOptions): Promise<readonly string[]>
}

/** Masked until asked for. What then is known is kept by this part alone, and gone with it. */
export function Unmasked({ of, masked, button = '查看完整信息', label, reveal }: UnmaskedProps) {
  const { modal } = App.useApp()
  const [whole, setWhole] = useState<readonly string[]>()
  const ask = useCommand({ run: (_: { of: string }, options) => reveal(options), stale: [] })
  const question = () => {
    modal.confirm({
      title: `查看「${of}」的完整信息？`,
      content: '您的账号和查看时间会记入操作日志。',
      okText: '查看并记录',
      cancelText: '取消',
      onOk: () => ask.mutateAsync({ of }).then(setWhole, () => undefined),
    })
  }
  return (
    <span className="unmasked">
      {(whole ?? masked).map((text, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- each place has one meaning
        <span key={index} className="figure">
          {text || EMPTY}
        </span>
      ))}
      {!whole && (
        <Button size="small" type="link" icon={<EyeOutlined />} loading={ask.isPending} aria-label={label} onClick={question}>
          {button}
        </Button>
      )}
    </span>
  )
}
