import { useQuery } from '@tanstack/react-query'
import { Alert, Form, Input, Skeleton } from 'antd'
import { lazy, Suspense, useState } from 'react'
import { DraftNotice } from '@/kit/DraftNotice'
import { Facts } from '@/kit/Facts'
import { atField } from '@/kit/fieldErrors'
import { EMPTY } from '@/kit/format'
import { FormDrawer } from '@/kit/FormDrawer'
import { LoadFailure } from '@/kit/LoadFailure'
import { NewerNotice } from '@/kit/NewerNotice'
import { Dot } from '@/kit/StateTag'
import { NameItem } from '@/kit/TextItems'
import { Time } from '@/kit/Time'
import { useDraft } from '@/kit/useDraft'
import { areaInfo, type AreaInfo, areaState, type AreaValues, CLOSED, fieldOf, NAME_MAX, PLANNED, SUSPENDED, TEL } from './area'
import './area.css'
import { useChangeArea } from './useAreaCommands'

const FORM = 'area-form'
// The map comes with the drawer, not with the list.
const AreaPreview = lazy(() => import('./AreaPreview'))

/** Shows an area and changes its name and telephone. */
export function AreaDrawer({ id, onClose }: { id: string; onClose: () => void }) {
  const query = useQuery(areaInfo(id))
  const change = useChangeArea()
  const editable = query.data !== undefined && query.data.state !== CLOSED
  return (
    <FormDrawer
      title={query.data?.name ?? '服务区'}
      wide
      loading={query.isLoading}
      {...(editable ? { form: FORM } : {})}
      saving={change.isPending}
      onClose={onClose}
    >
      <LoadFailure query={query} text="服务区加载失败" />
      {query.data && <AreaEditor key={id} latest={query.data} change={change} onSaved={onClose} />}
    </FormDrawer>
  )
}

interface AreaEditorProps {
  latest: AreaInfo
  change: ReturnType<typeof useChangeArea>
  onSaved(): void
}

/** Edits the version it was opened with; a newer one is announced, never laid over what is being written. */
function AreaEditor({ latest, change, onSaved }: AreaEditorProps) {
  const [area, setArea] = useState(latest)
  return (
    <>
      <NewerNotice subject="服务区" opened={area} latest={latest} onLoad={setArea} />
      {latest.state === SUSPENDED && <Alert className="notice" type="warning" showIcon title="暂停服务中" description={latest.notice} />}
      {latest.state === CLOSED && <Alert className="notice" type="info" showIcon title="服务区已关停，只能查看" />}
      <Suspense fallback={<Skeleton.Node active className="area-preview-wait" />}>
        <AreaPreview area={latest} />
      </Suspense>
      <AreaFacts area={latest} />
      {latest.state !== CLOSED && (
        <AreaForm
          key={area.version}
          area={area}
          onSave={(values) => change.mutateAsync({ ...values, id: area.id, version: area.version }).then(onSaved)}
        />
      )}
    </>
  )
}

function AreaFacts({ area }: { area: AreaInfo }) {
  const figure = (count: number, unit: string) => (
    <span className="figure">
      {count.toLocaleString()} {unit}
    </span>
  )
  return (
    <Facts
      facts={[
        { name: '状态', value: <Dot {...areaState(area.state)} /> },
        { name: '运营代理', value: area.company ?? EMPTY },
        { name: '加盟商', value: figure(area.franchiseeCount, '家') },
        { name: '车辆', value: figure(area.vehicleCount, '辆') },
        { name: '其中已上架', value: figure(area.shelvedCount, '辆') },
        { name: '停车区 / 全部围栏', value: figure(area.parkingCount, `/ ${area.fenceCount.toLocaleString()} 个`) },
        { name: '创建时间', value: <Time at={area.createdAt} /> },
        { name: '更新时间', value: <Time at={area.updatedAt} /> },
        { name: '服务区编号', value: <span className="figure">{area.id}</span> },
      ]}
    />
  )
}

/** Name and telephone; keeps a draft until it is saved. */
function AreaForm({ area, onSave }: { area: AreaInfo; onSave: (values: AreaValues) => Promise<unknown> }) {
  const [form] = Form.useForm<AreaValues>()
  const draftId = `service_area_${area.id}_${area.version}`
  const original = { name: area.name, tel: area.tel }
  const draft = useDraft<AreaValues>(draftId)
  const save = (values: AreaValues) =>
    draft.saving(onSave({ name: values.name.trim(), tel: values.tel.trim() }).catch(atField(form, fieldOf)))
  return (
    <Form<AreaValues>
      id={FORM}
      form={form}
      layout="vertical"
      initialValues={{ ...original, ...draft.restored }}
      onValuesChange={(_, all) => draft.keep(all)}
      onFinish={(values) => void save(values)}
    >
      <DraftNotice draft={draft} onDiscard={() => form.setFieldsValue(original)} />
      <NameItem name="name" label="服务区名称" extra="同一代理下不能重名；骑行用户会看到这个名称" max={NAME_MAX} showCount />
      <Form.Item
        name="tel"
        label="客服电话"
        required={area.state !== PLANNED}
        extra={area.state === PLANNED ? '开通前必须填写' : undefined}
        rules={[
          { required: area.state !== PLANNED, whitespace: true, message: '已开通的服务区必须有客服电话' },
          { pattern: TEL, message: '5 到 20 位，只能包含数字、空格、+、- 和括号' },
        ]}
      >
        <Input placeholder="例如：0592-1234567" maxLength={20} inputMode="tel" autoComplete="off" />
      </Form.Item>
    </Form>
  )
}
