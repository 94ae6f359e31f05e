import { SkinOutlined } from '@ant-design/icons'
import { Button, Tooltip } from 'antd'
import { lazy, Suspense, useState } from 'react'

const SettingsDrawer = lazy(() => import('../settings/SettingsDrawer'))

/** Opens the settings drawer, which is loaded then. */
export function SettingsButton({ words = false }: { words?: boolean }) {
  const [state, setState] = useState<'never' | 'open' | 'closed'>('never')
  return (
    <>
      <Tooltip title={words ? null : '页面设置'}>
        <Button type="text" aria-label="页面设置" icon={<SkinOutlined />} onClick={() => setState('open')}>
          {words ? '页面设置' : null}
        </Button>
      </Tooltip>
      {state !== 'never' && (
        <Suspense fallback={null}>
          <SettingsDrawer open={state === 'open'} onClose={() => setState('closed')} />
        </Suspense>
      )}
    </>
  )
}
