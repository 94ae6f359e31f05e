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

/** Customer service, where some is connected, for those who are logged in and nobody else. */
export function ChatWidget() {
  const user = useSession((state) => state.user)
  return user && <Launcher user={user} />
}

function Launcher({ user }: { user: UserInfo }) {
  const { modal } = App.useApp()
  const { company } = useBrand()
  const configured = useBrandStore((state) => state.config?.chatScript ?? '')
  // In place of a tool that did not load.
  const [panel, setPanel] = useState(false)
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
    if (script === null) return
    loadVendor(script).then(
      (loaded) => {
        vendor.current = loaded
        loaded.open(visitor)
      },
      () => setPanel(true),
    )
  }
  const close = () => {
    setPanel(false)
    button.current?.focus()
  }
  // A tab that nobody answers at would only lie over the pages.
  if (script === null) return null
  return (
    <>
      <button
        ref={button}
        type="button"
        className="chat-launcher"
        aria-label="在线客服"
        aria-haspopup="dialog"
        aria-expanded={panel}
        onClick={open}
      >
        <CustomerServiceOutlined aria-hidden />
        <span>在线客服</span>
      </button>
      {panel && <ChatPanel user={user} onClose={close} />}
    </>
  )
}
