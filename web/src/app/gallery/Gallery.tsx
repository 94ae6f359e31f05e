import { Button, Space } from 'antd'
import { type ReactNode, useEffect, useState } from 'react'
import { HttpError } from '@/api/client'
import { Facts } from '@/kit/Facts'
import { LoadFailure } from '@/kit/LoadFailure'
import { Money } from '@/kit/Money'
import { Permit } from '@/kit/Permit'
import { CodeDiff } from '@/kit/permission/CodeDiff'
import { useCodes } from '@/kit/permission/held'
import { PermissionTree } from '@/kit/permission/PermissionTree'
import { EnabledTag, StateTag } from '@/kit/StateTag'
import { stateStyle } from '@/kit/theme'
import { Time } from '@/kit/Time'
import { useDangerousConfirm } from '@/kit/useDangerousConfirm'
import { CaseStates } from './CaseStates'
import { JobStates } from './JobStates'
import { ListStates } from './ListStates'
import { RecordStates } from './RecordStates'
import { ReviewStates } from './ReviewStates'
import { sampleTree } from './samples'
import { State } from './State'
import { StatisticsStates } from './StatisticsStates'
import { VersionStates } from './VersionStates'
import './gallery.css'

const AT_MS = Date.UTC(2026, 10, 21, 4)
const ending = {
  act: '解约加盟商',
  name: '示例公司',
  consequence: '解约后不再分成，也不能恢复。',
  reason: { label: '解约原因', placeholder: '解约原因（必填）', max: 200 },
}
const nothingToAsk = () => Promise.resolve()

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="panel gallery-part" aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  )
}

/** Every part of the kit in every state; of the development build alone, with rows of its own. */
export function Gallery() {
  const [codes, setCodes] = useState<string[]>(['0101'])
  const ask = useDangerousConfirm()
  useEffect(() => {
    const held = useCodes.getState()
    useCodes.setState(new Set(['0901']), true)
    return () => useCodes.setState(held, true)
  }, [])
  return (
    <main className="gallery" id="content">
      <ListStates />
      <CaseStates />
      <ReviewStates />
      <StatisticsStates />
      <VersionStates />
      <Part title="状态、金额、时间">
        <Space wrap>
          {stateStyle.map(({ key }, state) => (
            <StateTag key={key} state={state} />
          ))}
          <StateTag state={null} />
          <EnabledTag state={1} />
          <EnabledTag state={0} />
        </Space>
        <Facts
          facts={[
            { name: '金额', value: <Money cents={123_456_789} /> },
            { name: '支出', value: <Money cents={-5} /> },
            { name: '没有金额', value: <Money cents={null} /> },
            { name: '时间', value: <Time at={AT_MS} /> },
            { name: '没有时间', value: <Time at={null} /> },
          ]}
        />
      </Part>
      <Part title="记录要点">
        <State name="四项并列">
          <Facts facts={['车辆', '停车区', '加盟商', '围栏'].map((name, index) => ({ name, value: String(index * 12) }))} />
        </State>
        <State name="三项一行，可占整行">
          <Facts facts={[...['联系人', '电话', '级别'].map((name) => ({ name, value: '示例' })), { name: '备注', value: '占一整行', whole: true }]} />
        </State>
      </Part>
      <Part title="记录：抽屉、页、表单、操作记录">
        <RecordStates />
      </Part>
      <Part title="任务">
        <JobStates />
      </Part>
      <Part title="加载失败">
        <LoadFailure query={{ isError: true, error: new HttpError(0, '网络出现问题，请稍后再试'), refetch: nothingToAsk }} text="角色加载失败" />
        <LoadFailure query={{ isError: true, error: new HttpError(500, ''), refetch: nothingToAsk }} text="角色加载失败" />
      </Part>
      <Part title="权限">
        <Space>
          <Permit need="0901">
            <span>持有 0901 才看得见</span>
          </Permit>
          <Permit need="9999">
            <span>没有人看得见</span>
          </Permit>
        </Space>
        <State name="权限树">
          <PermissionTree tier={2} source={sampleTree} value={codes} onChange={setCodes} />
        </State>
        <State name="权限变更">
          <CodeDiff change={{ added: ['0102'], removed: ['0101'] }} source={sampleTree} />
        </State>
      </Part>
      <Part title="危险操作">
        <Space>
          <Button danger onClick={() => ask({ act: '停用代理', name: '示例代理', consequence: '它的人员会立即退出登录。', onConfirm: nothingToAsk })}>
            停用代理
          </Button>
          <Button danger onClick={() => ask({ ...ending, onConfirm: nothingToAsk })}>
            要写原因
          </Button>
        </Space>
      </Part>
    </main>
  )
}
