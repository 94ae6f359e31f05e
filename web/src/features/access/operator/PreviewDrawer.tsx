import { CheckCircleFilled, EyeOutlined, StopOutlined } from '@ant-design/icons'
import { useQuery } from '@tanstack/react-query'
import { Alert, Drawer, Empty, Input, Menu, type MenuProps, Skeleton } from 'antd'
import { useMemo, useState } from 'react'
import { menuIcons } from '@/app/frame/icons'
import { frame } from '@/kit/theme'
import { Facts } from '@/kit/Facts'
import { LoadFailure } from '@/kit/LoadFailure'
import { type HeldCodes, heldCodes, type Operator } from './operator'
import '@/kit/notice.css'
import { countPages, dependsOnAccount, hiddenEntries, seenElements, type SeenEntry, seenMenu, sessionCodes } from './preview'
import { useReachFacts } from './useReachFacts'

type Items = NonNullable<MenuProps['items']>

function itemsOf(entries: readonly SeenEntry[]): Items {
  return entries.map(({ route, children }) => ({
    key: route.path,
    label: route.title,
    icon: route.icon ? menuIcons[route.icon] : undefined,
    children: children.length > 0 ? itemsOf(children) : undefined,
  }))
}

/** What another person sees of menus and buttons, and what stays hidden from him and why. Nothing can be done here. */
export function PreviewDrawer({ operator, onClose }: { operator: Operator; onClose: () => void }) {
  const query = useQuery(heldCodes(operator.phone))
  return (
    <Drawer
      open
      title={
        <>
          <EyeOutlined /> 以「{operator.name}」的身份查看
        </>
      }
      size={frame.drawerWide + 120}
      className="preview-drawer"
      onClose={onClose}
    >
      <Alert
        className="notice"
        type="warning"
        showIcon
        title={operator.state === 1 ? '只读预览，不会以他的身份登录，也不会留下他的操作记录' : '该账号已停用，目前无法登录；以下是启用后会看到的内容（只读）'}
      />
      {query.isLoading && <Skeleton active paragraph={{ rows: 8 }} />}
      <LoadFailure query={query} text="权限加载失败" />
      {query.data && <Preview held={query.data} />}
    </Drawer>
  )
}

function Preview({ held }: { held: HeldCodes }) {
  const codes = useMemo(() => sessionCodes(held.codes), [held.codes])
  const menu = useMemo(() => seenMenu(codes), [codes])
  const pages = countPages(codes)
  const elements = seenElements(codes)
  return (
    <>
      <Reach held={held} pages={pages} />
      {dependsOnAccount(codes) && (
        <Alert className="notice" type="info" showIcon title="“产品服务”的菜单还取决于他登录时的支付账户状态，实际可能更少" />
      )}
      <div className="preview-columns">
        <section aria-label="他看到的菜单" className="preview-menu">
          <h3>他看到的菜单</h3>
          {menu.length === 0 ? (
            <Empty image={Empty.PRESENTED_IMAGE_SIMPLE} description="没有任何菜单：请给他分配启用的角色" />
          ) : (
            <Menu
              mode="inline"
              theme="dark"
              selectable={false}
              items={itemsOf(menu)}
              defaultOpenKeys={menu.filter(({ children }) => children.length > 0).map(({ route }) => route.path)}
            />
          )}
        </section>
        <Hidden codes={codes} />
      </div>
      <section aria-label="按钮与控件">
        <h3>按钮与控件</h3>
        <ul className="preview-elements">
          {elements.map(({ label, place, shown, why }) => (
            <li key={label}>
              {shown ? <CheckCircleFilled className="seen" aria-hidden /> : <StopOutlined className="weak" aria-hidden />}
              <span>
                <strong>{label}</strong> <span className="weak">{place}</span>
              </span>
              <span className={shown ? 'seen' : 'weak'}>{shown ? '可见' : `隐藏：${why}`}</span>
            </li>
          ))}
        </ul>
      </section>
    </>
  )
}

function Reach({ held, pages }: { held: HeldCodes; pages: { shown: number; all: number } }) {
  return (
    <Facts
      facts={[
        {
          name: '可见页面',
          value: (
            <span className="figure">
              {pages.shown} / {pages.all}
            </span>
          ),
        },
        { name: '权限数', value: <span className="figure">{held.codes.length}</span> },
        ...useReachFacts(held.agentIds, held.areaIds),
      ]}
    />
  )
}

function Hidden({ codes }: { codes: ReadonlySet<string> }) {
  const [text, setText] = useState('')
  const hidden = useMemo(() => hiddenEntries(codes), [codes])
  const word = text.trim()
  const shown = hidden.filter(({ route, above, why }) => [route.title, above, why].some((part) => part.includes(word)))
  return (
    <section aria-label="对他隐藏的内容" className="preview-hidden">
      <h3>
        对他隐藏 <span className="weak figure">{hidden.length}</span>
      </h3>
      {hidden.length === 0 ? (
        <Empty image={Empty.PRESENTED_IMAGE_SIMPLE} description="没有隐藏的菜单，他能看到全部页面" />
      ) : (
        <>
          <Input.Search allowClear placeholder="搜索页面或权限编码" aria-label="搜索隐藏的页面" value={text} onChange={(event) => setText(event.target.value)} />
          <ul>
            {shown.map(({ route, above, why, below }) => (
              <li key={route.path}>
                <StopOutlined className="weak" aria-hidden />
                <div>
                  {above && <span className="weak">{above} / </span>}
                  {route.title}
                  <div className="weak">
                    {why}
                    {below > 0 && `，连同其下 ${below} 个页面`}
                  </div>
                </div>
              </li>
            ))}
          </ul>
          {shown.length === 0 && <p className="weak">没有匹配的页面</p>}
        </>
      )}
    </section>
  )
}
