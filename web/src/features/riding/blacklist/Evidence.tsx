import { DeleteOutlined, UploadOutlined } from '@ant-design/icons'
import { App, Button, Upload } from 'antd'
import { api, command } from '@/api/client'
import { photoAt } from '@/kit/photo'
import { Photos } from '@/kit/Photos'
import { useCommand } from '@/kit/useCommand'
import { type BlacklistEntry, stale } from './blacklist'

const PATH = '/user/blacklist/photo'
const PHOTOS_MAX = 6
const FILE_MAX_BYTES = 10 * 1024 * 1024

/** 证据: photos that prove why a rider is listed. */
export function Evidence({ entry: { id, photos } }: { entry: BlacklistEntry }) {
  const { modal, message } = App.useApp()
  const show = useCommand({
    // What tells one file from another names the request.
    run: ({ file }: { file: File; name: string; size: number }, options) => api.upload(PATH, { id }, file, options),
    stale,
    done: '证据已添加',
  })
  const hide = useCommand({ run: command.delete(PATH), stale, done: '证据已移除' })
  const bring = (file: File) => {
    if (file.size > FILE_MAX_BYTES) void message.error(`“${file.name}”超过 10 MB，请压缩后再上传`)
    else show.mutate({ file, name: file.name, size: file.size })
    // The page brings it, not the field.
    return false
  }
  const remove = (photoId: string, name: string) =>
    modal.confirm({
      title: `移除${name}？`,
      content: '移除后不再显示；操作日志中仍可查到。',
      okText: '移除',
      okButtonProps: { danger: true },
      cancelText: '取消',
      onOk: () => hide.mutateAsync({ id, photoId }).catch(() => undefined),
    })
  const full = photos.length >= PHOTOS_MAX
  return (
    <>
      <h3>证据</h3>
      <Photos
        photos={photos.map((photo, index) => {
          const name = `证据 ${index + 1}`
          const note = (
            <Button size="small" type="link" danger icon={<DeleteOutlined />} aria-label={`移除${name}`} onClick={() => remove(photo.id, name)}>
              移除
            </Button>
          )
          return { id: photo.id, name, note }
        })}
        of={[PATH, id]}
        load={(photoId, signal) => photoAt(PATH, { id, photoId }, signal)}
        none="还没有证据照片"
      />
      <Upload accept="image/jpeg,image/png,image/webp" showUploadList={false} beforeUpload={bring} disabled={full || show.isPending}>
        <Button icon={<UploadOutlined />} loading={show.isPending} disabled={full}>
          {full ? `最多 ${PHOTOS_MAX} 张` : '上传证据'}
        </Button>
      </Upload>
      <p className="weak">JPEG、PNG 或 WebP，每张不超过 10 MB。</p>
    </>
  )
}
