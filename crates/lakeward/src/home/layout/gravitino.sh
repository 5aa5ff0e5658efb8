#!/bin/sh
# Starts and stops the server of the folder above this one:
#
#   gravitino.sh [--config DIR] start|run|stop|restart|status
#
# GRAVITINO_HOME, GRAVITINO_CONF_DIR and GRAVITINO_LOG_DIR choose other folders than those beside this one. A file
# gravitino-env.sh in the configuration's folder is read first, for variables that the server is to have.
# `lakeward home init` writes this file anew, so changes belong there.
set -e
bin=$(dirname "$(readlink -f "$0")")
export GRAVITINO_HOME="${GRAVITINO_HOME:-$(dirname "$bin")}"
if [ "$1" = --config ]; then
  export GRAVITINO_CONF_DIR="${2:?a folder must follow --config}"
  shift 2
fi
environment=${GRAVITINO_CONF_DIR:-$GRAVITINO_HOME/conf}/gravitino-env.sh
if [ -f "$environment" ]; then
  . "$environment"
fi
exec "$bin/lakeward" home "$@"
