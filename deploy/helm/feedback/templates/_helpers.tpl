{{/* At most 37 letters: the longest name, of a CronJob, has 15 more and may have 52. */}}
{{- define "feedback.fullname" -}}
{{- if contains "feedback" .Release.Name -}}
{{- .Release.Name | trunc 37 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-feedback" (.Release.Name | trunc 28 | trimSuffix "-") -}}
{{- end -}}
{{- end -}}

{{- define "feedback.selector" -}}
app.kubernetes.io/name: feedback
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "feedback.labels" -}}
{{ include "feedback.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end -}}

{{- define "feedback.image" -}}
{{ printf "%s:%s" .Values.image.repository (.Values.image.tag | default .Chart.AppVersion) }}
{{- end -}}

{{/* What the pods of all kinds have in common; `secrets` is the volume of feedback.secretMount. */}}
{{- define "feedback.pod" -}}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  seccompProfile:
    type: RuntimeDefault
{{- end -}}

{{- define "feedback.container" -}}
image: {{ include "feedback.image" . }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
volumeMounts:
  - name: secrets
    mountPath: /etc/feedback
    readOnly: true
{{- end -}}

{{/* The variables of `secret.keys` that the processes have (`migrate` false) or the migration (`migrate` true). */}}
{{- define "feedback.secretKeys" -}}
{{- $keys := dict -}}
{{- range $variable, $key := .Values.secret.keys -}}
{{- if $.migrate -}}
{{- if has $variable (list "DATABASE_URL" "FEEDBACK_MIGRATE_URL" "SSL_CERT_FILE") -}}
{{- $_ := set $keys $variable $key -}}
{{- end -}}
{{- else if ne $variable "FEEDBACK_MIGRATE_URL" -}}
{{- $_ := set $keys $variable $key -}}
{{- end -}}
{{- end -}}
{{- toJson $keys -}}
{{- end -}}

{{- define "feedback.secretEnv" -}}
{{- range $variable, $key := include "feedback.secretKeys" . | fromJson }}
- name: {{ $variable }}
  {{- /* A file by itself, and not its text. */}}
  value: {{ printf "%s/etc/feedback/%s" (ternary "" "@" (eq $variable "SSL_CERT_FILE")) $key | quote }}
{{- end }}
{{- end -}}

{{- define "feedback.secretVolume" -}}
- name: secrets
  secret:
    secretName: {{ .Values.secret.name }}
    defaultMode: 0440
    items:
      {{- range $variable, $key := include "feedback.secretKeys" . | fromJson }}
      - key: {{ $key }}
        path: {{ $key }}
      {{- end }}
      {{- range ternary (list) .Values.secret.files .migrate }}
      - key: {{ . }}
        path: {{ . }}
      {{- end }}
{{- end -}}

{{/* The settings of api and worker, which must be the same for both. */}}
{{- define "feedback.env" -}}
{{- include "feedback.secretEnv" (dict "Values" .Values "migrate" false) }}
- name: FEEDBACK_PUBLIC_URL
  value: {{ .Values.publicUrl | quote }}
- name: FEEDBACK_OPS_LISTEN
  value: 0.0.0.0:8081
{{- range $variable, $value := .Values.settings }}
- name: {{ $variable }}
  value: {{ $value | toString | quote }}
{{- end }}
{{- end -}}

{{/* The process starts to answer once its servers do; then a probe that fails for half a minute restarts it. */}}
{{- define "feedback.probes" -}}
startupProbe:
  httpGet: {path: /health/live, port: {{ . }}}
  periodSeconds: 2
  failureThreshold: 150
livenessProbe:
  httpGet: {path: /health/live, port: {{ . }}}
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 3
readinessProbe:
  httpGet: {path: /health/ready, port: {{ . }}}
  periodSeconds: 5
  timeoutSeconds: 5
  failureThreshold: 2
{{- end -}}

{{/* Replicas are spread over nodes where there are several. */}}
{{- define "feedback.spread" -}}
topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: kubernetes.io/hostname
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        {{- include "feedback.selector" .root | nindent 8 }}
        app.kubernetes.io/component: {{ .component }}
{{- end -}}

{{/* An idle connection takes 18 KiB, measured with 6,000, and one of HTTP/2 up to 64 KiB more of bodies that are not read yet; the sockets' buffers come on top, and what TLS holds of a record. */}}
{{- define "feedback.apiMemory" -}}
{{ printf "%dMi" (add .Values.api.memoryMiB 128 (div (mul .Values.api.connections (ternary 128 96 (ne .Values.tls.secretName ""))) 1024)) }}
{{- end -}}

{{/* A pod that runs `feedback` with `args` on the database, and ends. */}}
{{- define "feedback.migration" -}}
metadata:
  labels:
    {{- include "feedback.labels" .root | nindent 4 }}
    app.kubernetes.io/component: migration
spec:
  {{- include "feedback.pod" .root | nindent 2 }}
  restartPolicy: Never
  containers:
    - name: migrate
      {{- include "feedback.container" .root | nindent 6 }}
      command: [feedback]
      args:
        {{- toYaml .args | nindent 8 }}
      env:
        {{- include "feedback.secretEnv" (dict "Values" .root.Values "migrate" true) | trim | nindent 8 }}
      resources:
        requests:
          cpu: 100m
          memory: 128Mi
        limits:
          memory: 256Mi
  volumes:
    {{- include "feedback.secretVolume" (dict "Values" .root.Values "migrate" true) | nindent 4 }}
{{- end -}}
