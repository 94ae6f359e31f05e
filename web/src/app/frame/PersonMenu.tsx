import { DownOutlined, LogoutOutlined, UserOutlined } from '@ant-design/icons'
import { useQueryClient } from '@tanstack/react-query'
import { App, Avatar, Dropdown } from 'antd'
import { logOut, useSession } from '../session/store'

/** The settings menu at the user's name. */
export function PersonMenu() {
  const { modal } = App.useApp()
  const client = useQueryClient()
  const user = useSession((state) => state.user)
  const name = user?.name || user?.phone || '用户'

  const askToLeave = () =>
    modal.confirm({
      title: '提示',
      content: '真的要注销登录吗？',
      okText: '确定',
      cancelText: '取消',
      onOk: async () => {
        await logOut()
        client.clear()
      },
    })
  const items = [{ key: 'logout', icon: <LogoutOutlined />, label: '退出登录', onClick: askToLeave }]
  return (
    <Dropdown menu={{ items }} trigger={['click']} placement="bottomRight">
      <button type="button" className="person" aria-label={`设置菜单：${name}`}>
        <Avatar size={26} src={user?.avatar || undefined} icon={<UserOutlined />} alt="" />
        <span className="person-name">{name}</span>
        <DownOutlined aria-hidden className="weak" />
      </button>
    </Dropdown>
  )
}
