import { DownOutlined, KeyOutlined, LogoutOutlined, SafetyOutlined, UserOutlined } from '@ant-design/icons'
import { useQueryClient } from '@tanstack/react-query'
import { App, Avatar, Dropdown, type MenuProps } from 'antd'
import { activeCount } from '@/kit/jobs/jobs'
import { currentJobs } from '@/kit/jobs/store'
import { openPaymentPassword } from '../session/paymentPassword'
import { logOut, useSession } from '../session/store'

type Items = NonNullable<MenuProps['items']>

/** Only for whose financial account is open. */
const passwordItems: Items = [
  { key: 'change', icon: <KeyOutlined />, label: '修改支付密码', onClick: () => void openPaymentPassword('change') },
  { key: 'reset', icon: <SafetyOutlined />, label: '重置支付密码', onClick: () => void openPaymentPassword('reset') },
  { type: 'divider' },
]

/** The settings menu at the user's name. */
export function PersonMenu() {
  const { modal } = App.useApp()
  const client = useQueryClient()
  const user = useSession((state) => state.user)
  const isShow = useSession((state) => state.isShow)
  const name = user?.name || user?.phone || '用户'

  const askToLeave = () => {
    const under = activeCount(currentJobs())
    modal.confirm({
      title: '提示',
      content: under === 0 ? '真的要注销登录吗？' : `真的要注销登录吗？进行中的 ${under} 个任务会被取消。`,
      okText: '确定',
      cancelText: '取消',
      onOk: async () => {
        await logOut()
        client.clear()
      },
    })
  }
  const leaving: Items = [{ key: 'logout', icon: <LogoutOutlined />, label: '退出登录', onClick: askToLeave }]
  return (
    <Dropdown menu={{ items: isShow ? [...passwordItems, ...leaving] : leaving }} trigger={['click']} placement="bottomRight">
      <button type="button" className="person" aria-label={`设置菜单：${name}`}>
        <Avatar size={26} src={user?.avatar || undefined} icon={<UserOutlined />} alt="" />
        <span className="person-name">{name}</span>
        <DownOutlined aria-hidden className="weak" />
      </button>
    </Dropdown>
  )
}
