import { CustomerServiceOutlined } from '@ant-design/icons'
import { App } from 'antd'
import { useEffect, useRef, useState } from 'react'
import { useBrand, useBrandStore } from '../brand'
import { type UserInfo, useSession } from '../session/store'
import { isLoggedIn } from '../session/stored'
import { ChatPanel } from './ChatPanel'
import { register } from './register'
import { type ChatVendor, type ChatVisitor, loadVendor, NOT_LOGGED_IN, scriptAddress } from './vendor'
import './chat.css'

/** Customer service, for those who are logged in and nobody else. */
export function ChatWidget() {
  const user = useSession((state) => state.user)
  return user && <Launcher user={user} />
}

/** What stands open: the system's own panel, with or without a failure to tell of. */
type Panel = 'standing-in' | 'failed'

function Launcher({ user }: { user: UserInfo }) {
  const { modal } = App.useApp()
  const { company } = useBrand()
  const configured = useBrandStore((state) => state.config?.chatScript ?? '')
  const [panel, setPanel] = useState<Panel | null>(null)
  const vendor = useRef<ChatVendor | null>(null)
  const button = useRef<HTMLButtonElement>(null)
  const script = scriptAddress(configured, document.baseURI)
  const visitor: ChatVisitor = { name: user.name, phone: user.phone, company, objectId: user.userId }

  useEffect(() => {
    void register(visitor)
    // oxlint-disable-next-line react/exhaustive-deps -- once for each person
  }, [visitor.objectId])

  // Whoever logs out takes his chat with him.
  useEffect(() => () => vendor.current?.close?.(), [])

  const open = () => {
    if (!isLoggedIn()) return void modal.warning({ title: '提示', content: NOT_LOGGED_IN, okText: '知道了' })
    if (script === null) return setPanel(panel === null ? 'standing-in' : null)
    loadVendor(script).then(
      (loaded) => {
        vendor.current = loaded
        loaded.open(visitor)
      },
      () => setPanel('failed'),
    )
  }
  const close = () => {
    setPanel(null)
    button.current?.focus()
  }
  return (
    <>
      <button
        ref={button}
        type="button"
        className="chat-launcher"
        aria-label="在线客服"
        aria-haspopup="dialog"
        aria-expanded={panel !== null}
        onClick={open}
      >
        <CustomerServiceOutlined aria-hidden />
        <span>在线客服</span>
      </button>
      {panel && <ChatPanel user={user} failed={panel === 'failed'} onClose={close} />}
    </>
  )
}
