import { CheckOutlined, CopyOutlined } from '@ant-design/icons'
import { App, Button, Drawer, Segmented, Switch, Tooltip } from 'antd'
import type { ReactNode } from 'react'
import { accentPresets } from '@/kit/theme'
import { copyText } from './copyText'
import { type SettingName, type Settings, unavailable } from './settings'
import { useSettingsStore } from './store'
import './settings.css'

type SwitchName = { [Name in SettingName]: Settings[Name] extends boolean ? Name : never }[SettingName]

const frameSwitches: readonly (readonly [SwitchName, string])[] = [
  ['fixedHeader', '固定顶栏'],
  ['autoHideHeader', '下滑时隐藏顶栏'],
  ['fixSiderbar', '固定侧边菜单'],
]
const otherSwitches: readonly (readonly [SwitchName, string])[] = [
  ['multiTab', '多标签模式'],
  ['colorWeak', '色弱模式'],
]

/** How the frame looks: each choice holds at once, and is kept in this browser. */
export default function SettingsDrawer({ open, onClose }: { open: boolean; onClose(): void }) {
  const { message } = App.useApp()
  const settings = useSettingsStore((state) => state.settings)
  const choose = useSettingsStore((state) => state.choose)
  const forget = useSettingsStore((state) => state.forget)

  const copy = () => {
    copyText(JSON.stringify(settings, null, 2)).then(
      () => message.success('复制完毕'),
      () => message.error('复制失败'),
    )
  }
  const switches = (list: readonly (readonly [SwitchName, string])[]) =>
    list.map(([name, label]) => (
      <Line key={name} label={label} reason={unavailable(name, settings)}>
        <Switch
          aria-label={label}
          checked={settings[name]}
          disabled={unavailable(name, settings) !== null}
          onChange={(on) => choose(name, on)}
        />
      </Line>
    ))
  const top = settings.layout === 'topmenu'
  return (
    <Drawer
      open={open}
      title="页面设置"
      size={320}
      className="settings-drawer"
      onClose={onClose}
      footer={
        <div className="settings-foot">
          <Button type="primary" icon={<CopyOutlined />} onClick={copy}>
            拷贝设置
          </Button>
          <Button onClick={forget}>恢复默认</Button>
        </div>
      }
    >
      <h2>菜单主题</h2>
      <Segmented<Settings['navTheme']>
        block
        aria-label="菜单主题"
        value={settings.navTheme}
        options={[
          { value: 'dark', label: '暗色' },
          { value: 'light', label: '亮色' },
        ]}
        onChange={(theme) => choose('navTheme', theme)}
      />
      <h2>主题色</h2>
      <div className="swatches" role="group" aria-label="主题色">
        {accentPresets.map(({ name, color }) => (
          <Swatch
            key={color}
            name={name}
            color={color}
            chosen={settings.primaryColor.toUpperCase() === color}
            onChoose={() => choose('primaryColor', color)}
          />
        ))}
      </div>
      <h2>导航模式</h2>
      <Segmented<Settings['layout']>
        block
        aria-label="导航模式"
        value={settings.layout}
        options={[
          { value: 'sidemenu', label: '侧边菜单' },
          { value: 'topmenu', label: '顶部菜单' },
        ]}
        onChange={(layout) => choose('layout', layout)}
      />
      <Line label="内容宽度" reason={unavailable('contentWidth', settings)}>
        <Segmented<Settings['contentWidth']>
          size="small"
          aria-label="内容宽度"
          value={settings.contentWidth}
          options={[
            { value: 'Fixed', label: '定宽' },
            { value: 'Fluid', label: '流式', disabled: !top },
          ]}
          onChange={(width) => choose('contentWidth', width)}
        />
      </Line>
      {switches(frameSwitches)}
      <h2>其他</h2>
      {switches(otherSwitches)}
      <p className="weak settings-note">设置只保存在本浏览器中，优先于客户的网页配置。</p>
    </Drawer>
  )
}

/** One setting; what it waits for stands under its name. */
function Line({ label, reason, children }: { label: string; reason: string | null; children: ReactNode }) {
  return (
    <div className="settings-line">
      <div>
        {label}
        {reason !== null && <div className="weak">{reason}</div>}
      </div>
      {children}
    </div>
  )
}

function Swatch(props: { name: string; color: string; chosen: boolean; onChoose(): void }) {
  return (
    <Tooltip title={props.name}>
      <button
        type="button"
        className="swatch"
        aria-pressed={props.chosen}
        aria-label={props.name}
        data-color={props.color}
        style={{ backgroundColor: props.color }}
        onClick={props.onChoose}
      >
        {props.chosen && <CheckOutlined />}
      </button>
    </Tooltip>
  )
}
