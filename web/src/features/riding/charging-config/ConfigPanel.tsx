import type { UseQueryResult } from '@tanstack/react-query'
import { Alert, Button, Form, Skeleton } from 'antd'
import { type ReactNode, useMemo, useState } from 'react'
import { command } from '@/api/client'
import type { AreaChoice } from '@/kit/areaChoices'
import type { FieldOf } from '@/kit/fieldErrors'
import { formatTime } from '@/kit/format'
import { LoadFailure } from '@/kit/LoadFailure'
import { RecordForm } from '@/kit/record/RecordForm'
import { useAskedCommand } from '@/kit/useAskedCommand'
import { useCommand } from '@/kit/useCommand'
import { Changes } from '@/kit/versions/Changes'
import { PublishVersion } from '@/kit/versions/PublishVersion'
import { AffectedOrders } from '@/kit/versions/AffectedOrders'
import { rollBackTo, VersionList, withdrawal } from '@/kit/versions/VersionList'
import { Dot } from '@/kit/StateTag'
import { versionTags } from '@/kit/versions/versions'
import { type AreaConfig, changesOf, countingOf, differencesOf, editedOf, type Kind, kinds, type Saying, stale } from './config'
import { CopyDialog } from './CopyDialog'

const NOTE_MAX = 200

/** A kind of configuration, as the page edits it. */
export interface Edited<Content, Fields extends object> {
  kind: Kind
  /** 计费配置. */
  title: string
  /** Names drafts in the browser. */
  noun: string
  fieldsOf(content: Content): Fields
  /** Null while something is missing. */
  contentOf(fields: Partial<Fields>): Content | null
  items: ReactNode
  sayings: readonly Saying<Content>[]
  fieldOf: FieldOf
  save(body: { opAreaId: string; version: number; content: Content }): Promise<unknown>
  saving: boolean
  /** What stands beside the form, by what it says. */
  beside?(content: Content | null): ReactNode
  /** What a new version does to what is under way: when it is published, when an older one counts again. */
  effect: { published: string; rolledBack: string }
  /** What publishing would change of what has been. */
  simulation?(content: Content): ReactNode
}

interface ConfigPanelProps<Content, Fields extends object> {
  area: AreaChoice
  query: UseQueryResult<AreaConfig<Content>>
  edited: Edited<Content, Fields>
}

/** One kind of configuration of an area: what counts, the form, and all versions. */
export function ConfigPanel<Content, Fields extends object>({ area, query, edited }: ConfigPanelProps<Content, Fields>) {
  if (query.isError) return <LoadFailure query={query} text={`${edited.title}加载失败`} />
  if (!query.data) return <Skeleton active paragraph={{ rows: 10 }} />
  // Another version is another form.
  return <Loaded key={`${area.id}:${query.data.version}`} area={area} config={query.data} edited={edited} />
}

interface LoadedProps<Content, Fields extends object> {
  area: AreaChoice
  config: AreaConfig<Content>
  edited: Edited<Content, Fields>
}

function Loaded<Content, Fields extends object>({ area, config, edited }: LoadedProps<Content, Fields>) {
  const { kind, title, sayings } = edited
  const { version, draft, versions, usual, at_ms } = config
  const [form] = Form.useForm<Fields>()
  const written = Form.useWatch((fields: Fields) => fields, { form, preserve: true })
  const original = useMemo(() => edited.fieldsOf(editedOf(config)), [config, edited])
  const [open, setOpen] = useState<'publish' | 'copy' | null>(null)
  const [compared, setCompared] = useState<number | null>(null)
  const which = { kind, opAreaId: area.id, version }
  const discard = useAskedCommand({ run: command.post('/config/area/discard'), stale, done: '草稿已丢弃' })
  const publish = useCommand({ run: command.post('/config/area/publish'), stale, done: '已发布' })
  const rollBack = useAskedCommand({ run: command.post('/config/area/rollback'), stale, done: '已回滚' })
  const withdraw = useAskedCommand({ run: command.post('/config/area/withdraw'), stale, done: '已撤回，内容保留为草稿' })
  const counting = countingOf(config)
  const counts = counting?.content ?? usual
  const content = edited.contentOf({ ...original, ...written })
  const other = versions.find(({ dataVersion }) => dataVersion === compared)
  const sources = [
    ...(draft === null ? [] : [{ value: null, label: '未发布的草稿' }]),
    ...versions.filter(({ withdrawn }) => !withdrawn).map(({ dataVersion }) => ({ value: dataVersion, label: `第 ${dataVersion} 版${dataVersion === counting?.dataVersion ? '（生效中）' : ''}` })),
    { value: 0, label: '默认配置' },
  ]
  return (
    <>
      <div className="config-state">
        <Dot {...versionTags.now} label={counting ? `第 ${counting.dataVersion} 版生效中` : '默认配置生效中'} />
        {counting && <span className="weak figure">从 {formatTime(counting.fromAt)} 起</span>}
        <span className="config-acts">
          <Button onClick={() => setOpen('copy')}>复制到其他服务区</Button>
        </span>
      </div>
      {draft !== null && (
        <Alert
          className="notice config-draft"
          type="info"
          showIcon
          title={`有未发布的草稿${config.draftBy ? `，${config.draftBy} ` : '，'}保存于 ${formatTime(config.draftAt)}`}
          description={<Changes changes={orSame(differencesOf(sayings, counts, draft))} />}
          action={
            <span className="config-acts">
              <Button size="small" onClick={() => discard(which, { act: '丢弃草稿', name: area.name, consequence: '草稿中的修改不再保留；已发布的版本不变。' })}>
                丢弃
              </Button>
              <Button size="small" type="primary" onClick={() => setOpen('publish')}>
                发布草稿
              </Button>
            </span>
          }
        />
      )}
      <div className={edited.beside ? 'config-columns' : 'config-columns config-alone'}>
        <RecordForm<Fields>
          draft={[edited.noun, area.id, version]}
          original={original}
          form={form}
          fieldOf={edited.fieldOf}
          className="config-form"
          onSave={(fields) => {
            const said = edited.contentOf(fields)
            // The rules of the fields let nothing else pass.
            return said === null ? Promise.reject(new Error('incomplete')) : edited.save({ opAreaId: area.id, version, content: said })
          }}
        >
          {edited.items}
          <div className="config-save">
            <Button type="primary" htmlType="submit" loading={edited.saving}>
              保存草稿
            </Button>
            <span className="weak">草稿不影响用户，发布后才生效</span>
          </div>
        </RecordForm>
        {edited.beside && <aside className="config-beside">{edited.beside(content)}</aside>}
      </div>
      <section aria-labelledby="config-versions" className="config-versions">
        <h2 id="config-versions">版本</h2>
        {other && (
          <Alert
            className="notice"
            type="info"
            title={`第 ${other.dataVersion} 版与现在生效的${counting ? `第 ${counting.dataVersion} 版` : '默认配置'}相比`}
            description={<Changes changes={orSame(differencesOf(sayings, other.content, counts))} />}
          />
        )}
        <VersionList
          rows={versions}
          at_ms={at_ms}
          countedOf={(row) => row}
          changesOf={changesOf(sayings, usual)}
          aside={({ note, who, publishedAt }) => (
            <span className="weak">
              {who ?? '接口'} 发布于 <span className="figure">{formatTime(publishedAt)}</span>
              {note && `：${note}`}
            </span>
          )}
          extra={({ dataVersion }) => kind === kinds.billing && <AffectedOrders subject={1} opAreaId={area.id} version={dataVersion} />}
          compared={compared}
          onCompare={setCompared}
          onRollBack={(dataVersion) =>
            rollBack({ ...which, dataVersion, note: `回滚到第 ${dataVersion} 版` }, rollBackTo(dataVersion, `${area.name} ${title}`, `立即按这一版的内容发布一个新版本；${edited.effect.rolledBack}。`))
          }
          onWithdraw={(dataVersion) => withdraw({ ...which, dataVersion }, withdrawal(dataVersion, `${area.name} ${title}`))}
          emptyText="还没有发布过，按默认配置执行；发布后每个版本都留在这里"
        />
      </section>
      {open === 'publish' && draft !== null && (
        <PublishVersion
          title={`发布「${area.name}」的${title}`}
          simulation={edited.simulation?.(draft)}
          noteMax={NOTE_MAX}
          publishing={publish.isPending}
          onPublish={({ from }, note) => void publish.mutateAsync({ ...which, from, note }).then(() => setOpen(null), () => undefined)}
          onClose={() => setOpen(null)}
        >
          {edited.effect.published}
        </PublishVersion>
      )}
      {open === 'copy' && <CopyDialog kind={kind} title={title} area={area} sources={sources} onClose={() => setOpen(null)} />}
    </>
  )
}

const orSame = <Change,>(changes: readonly Change[]): readonly (Change | string)[] => (changes.length > 0 ? changes : ['内容相同'])
